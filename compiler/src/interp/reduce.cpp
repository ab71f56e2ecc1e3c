// SPDX-License-Identifier: Apache-2.0
//
// Reductions, contraction and scan. Sums of f16, bf16 and f32 are carried in double here, which is one legal order with
// an error below that of any f32 order; the result is rounded once to the dtype.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "array.hpp"
#include "combine.hpp"

namespace hal::compiler::interp {
namespace {

template <typename T>
using Sum = std::conditional_t<std::is_same_v<T, float>, double, T>;

template <typename S>
S identity(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kMul:
    case ReduceKind::kAnd:
      return 1;
    case ReduceKind::kMin:
      return std::numeric_limits<S>::has_infinity ? std::numeric_limits<S>::infinity() : std::numeric_limits<S>::max();
    case ReduceKind::kMax:
      return std::numeric_limits<S>::has_infinity ? -std::numeric_limits<S>::infinity()
                                                  : std::numeric_limits<S>::lowest();
    default:
      return 0;
  }
}

// Integers wrap at their width, so that their identities are those of the dtype: min of an empty i8 is 127.
template <typename S>
S dtype_identity(ReduceKind kind, DType dtype) {
  if constexpr (std::is_integral_v<S>) {
    int bits = info(dtype).bits;
    if (kind == ReduceKind::kMin && dtype != DType::kBOOL) {
      return std::is_unsigned_v<S>
                 ? (bits >= 64 ? std::numeric_limits<S>::max() : static_cast<S>((uint64_t{1} << bits) - 1))
                 : static_cast<S>((uint64_t{1} << (bits - 1)) - 1);
    }
    if (kind == ReduceKind::kMax && !std::is_unsigned_v<S>)
      return static_cast<S>(-static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1) - 1);
  }
  return identity<S>(kind);
}

// For each operand element in order: where it lands in the result (reduced axes have stride 0).
Extents landing_strides(const Extents& shape, const std::vector<int64_t>& axes, const Extents& result) {
  Extents to = strides_of(result), strides;
  size_t next = 0;
  for (size_t a = 0; a < shape.size(); ++a) {
    bool reduced = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(a));
    strides.push_back(reduced ? 0 : to[next++]);
  }
  return strides;
}

template <typename T>
std::vector<T> plain(const std::vector<T>& x, const Extents& shape, const Extents& landing, int64_t size,
                     ReduceKind kind, DType dtype) {
  using S = Sum<T>;
  std::vector<S> sums(static_cast<size_t>(size), dtype_identity<S>(kind, dtype));
  Extents index(shape.size(), 0);
  int64_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    S& slot = sums[static_cast<size_t>(at)];
    slot = combine<S>(kind, slot, static_cast<S>(x[i]));
    for (size_t a = shape.size(); a-- > 0;) {
      at += landing[a];
      if (++index[a] < shape[a]) break;
      at -= landing[a] * shape[a];
      index[a] = 0;
    }
  }
  std::vector<T> out(sums.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = round_to(dtype, static_cast<T>(sums[i]));
  return out;
}

Array reduce_plain(const Op& op, const Array& x, const Extents& shape) {
  Array out{x.dtype, shape, {}};
  Extents landing = landing_strides(x.shape, op.attributes.axes, shape);
  std::visit(
      [&](const auto& data) { out.data = plain(data, x.shape, landing, count(shape), op.attributes.reduce, x.dtype); },
      x.data);
  return out;
}

template <typename T>
bool better(ReduceKind kind, T candidate, T best) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(best)) return false;
    if (std::isnan(candidate)) return true;
  }
  return kind == ReduceKind::kMin ? candidate < best : candidate > best;
}

Result<Array> arg_reduce(const Op& op, const Array& x, const Extents& shape) {
  size_t axis = size_t(op.attributes.axes[0]);
  int64_t extent = x.shape[axis], inner = count(Extents(x.shape.begin() + ptrdiff_t(axis) + 1, x.shape.end()));
  if (extent == 0 && count(shape) > 0) return invalid_argument(op.label + ": arg_reduce of an empty axis");
  std::vector<int64_t> out(static_cast<size_t>(count(shape)));
  std::visit(
      [&](const auto& data) {
        for (size_t i = 0; i < out.size(); ++i) {
          int64_t base = int64_t(i) / inner * extent * inner + int64_t(i) % inner, best = 0;
          for (int64_t k = 1; k < extent; ++k) {
            if (better(op.attributes.reduce, data[size_t(base + k * inner)], data[size_t(base + best * inner)]))
              best = k;
          }
          out[i] = best;
        }
      },
      x.data);
  return Array{DType::kI64, shape, std::move(out)};
}

Array scan(const Op& op, const Array& x) {
  size_t axis = size_t(op.attributes.axes[0]);
  int64_t extent = x.shape[axis], inner = count(Extents(x.shape.begin() + ptrdiff_t(axis) + 1, x.shape.end()));
  Array out = x;
  std::visit(
      [&](auto& data) {
        using S = Sum<typename std::decay_t<decltype(data)>::value_type>;
        for (int64_t line = 0; line < (extent == 0 ? 0 : int64_t(data.size()) / extent); ++line) {
          int64_t base = line / inner * extent * inner + line % inner;
          S sum = dtype_identity<S>(op.attributes.reduce, x.dtype);
          for (int64_t k = 0; k < extent; ++k) {
            auto& slot = data[size_t(base + k * inner)];
            sum = combine<S>(op.attributes.reduce, sum, static_cast<S>(slot));
            slot = round_to(x.dtype, static_cast<std::decay_t<decltype(slot)>>(sum));
          }
        }
      },
      out.data);
  return out;
}

// An operand with its axes in the order of `labels`; labels that it lacks have stride 0.
Extents label_strides(const std::vector<int>& own, const Extents& shape, const std::vector<int>& labels) {
  Extents from = strides_of(shape), out;
  for (int label : labels) {
    auto at = std::find(own.begin(), own.end(), label);
    out.push_back(at == own.end() ? 0 : from[size_t(at - own.begin())]);
  }
  return out;
}

template <typename T>
std::vector<T> contracted(const std::vector<T>& a, const std::vector<T>& b, const Extents& outer, const Extents& inner,
                          const Extents (&strides)[4], DType dtype) {
  using S = Sum<T>;
  std::vector<T> out(static_cast<size_t>(count(outer)));
  // The reduced index as two lists of offsets, so that the inner loop is two gathers and a product.
  int64_t length = count(inner);
  std::vector<int64_t> at_a, at_b;
  Extents inner_strides = strides_of(inner), outer_strides = strides_of(outer);
  for (int64_t k = 0; k < length; ++k) {
    int64_t oa = 0, ob = 0;
    for (size_t i = 0; i < inner.size(); ++i) {
      int64_t index = k / inner_strides[i] % inner[i];
      oa += index * strides[2][i];
      ob += index * strides[3][i];
    }
    at_a.push_back(oa);
    at_b.push_back(ob);
  }
  for (size_t o = 0; o < out.size(); ++o) {
    int64_t base_a = 0, base_b = 0;
    for (size_t i = 0; i < outer.size(); ++i) {
      int64_t index = int64_t(o) / outer_strides[i] % outer[i];
      base_a += index * strides[0][i];
      base_b += index * strides[1][i];
    }
    S sum = 0;
    for (int64_t k = 0; k < length; ++k) {
      sum += static_cast<S>(a[size_t(base_a + at_a[size_t(k)])]) * static_cast<S>(b[size_t(base_b + at_b[size_t(k)])]);
    }
    out[o] = round_to(dtype, static_cast<T>(sum));
  }
  return out;
}

Result<Array> contract(const Op& op, const Array& x, const Array& y, const Extents& shape, DType dtype,
                       Precision precision) {
  const auto& labels = op.attributes.labels;
  std::vector<int> rest;
  Extents inner;
  for (size_t operand = 0; operand < 2; ++operand) {
    for (size_t i = 0; i < labels[operand].size(); ++i) {
      int label = labels[operand][i];
      auto has = [&](const std::vector<int>& list) { return std::find(list.begin(), list.end(), label) != list.end(); };
      if (has(labels[2]) || has(rest)) continue;
      rest.push_back(label);
      inner.push_back((operand == 0 ? x : y).shape[i]);
    }
  }
  const Extents strides[4] = {label_strides(labels[0], x.shape, labels[2]),
                              label_strides(labels[1], y.shape, labels[2]), label_strides(labels[0], x.shape, rest),
                              label_strides(labels[1], y.shape, rest)};
  Array out{x.dtype, shape, {}};
  std::visit(
      [&](const auto& a) {
        out.data = contracted(a, std::get<std::decay_t<decltype(a)>>(y.data), shape, inner, strides, x.dtype);
      },
      x.data);
  if (dtype == x.dtype) return out;
  Op cast{Prim::kCast, {}, 0, {}, op.label};
  cast.attributes.dtype = dtype;
  return elementwise(cast, {&out}, {dtype, {}}, precision);
}

}  // namespace

Result<Array> reduce(const Op& op, const std::vector<const Array*>& x, const Extents& shape, DType dtype,
                     Precision precision) {
  switch (op.prim) {
    case Prim::kReduce:
      return reduce_plain(op, *x[0], shape);
    case Prim::kArgReduce:
      return arg_reduce(op, *x[0], shape);
    case Prim::kScan:
      return scan(op, *x[0]);
    default:
      return contract(op, *x[0], *x[1], shape, dtype, precision);
  }
}

}  // namespace hal::compiler::interp

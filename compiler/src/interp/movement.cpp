// SPDX-License-Identifier: Apache-2.0
//
// The movement and indexed primitives. Most are one strided read: result element i is operand element
// base + sum(index[a] * stride[a]).
#include <algorithm>

#include "array.hpp"
#include "combine.hpp"

namespace hal::compiler::interp {
namespace {

// Calls visit(flat, offset) for each index of `shape` in row-major order, offset following `strides`.
template <typename Visit>
void walk(const Extents& shape, const Extents& strides, int64_t base, Visit visit) {
  int64_t total = count(shape);
  if (total == 0) return;
  Extents index(shape.size(), 0);
  int64_t inner = shape.empty() ? 1 : shape.back(), step = shape.empty() ? 0 : strides.back();
  int64_t offset = base;
  for (int64_t flat = 0; flat < total; flat += inner) {
    for (int64_t i = 0; i < inner; ++i) visit(flat + i, offset + i * step);
    for (size_t a = shape.size() > 0 ? shape.size() - 1 : 0; a-- > 0;) {
      offset += strides[a];
      if (++index[a] < shape[a]) break;
      offset -= strides[a] * shape[a];
      index[a] = 0;
    }
  }
}

Array strided(const Array& x, const Extents& shape, const Extents& strides, int64_t base) {
  Array out{x.dtype, shape, x.data};
  std::visit(
      [&](auto& to) {
        const auto& from = std::get<std::decay_t<decltype(to)>>(x.data);
        to.resize(static_cast<size_t>(count(shape)));
        walk(shape, strides, base, [&](int64_t flat, int64_t offset) { to[size_t(flat)] = from[size_t(offset)]; });
      },
      out.data);
  return out;
}

Array transpose(const Array& x, const std::vector<int64_t>& axes, const Extents& shape) {
  Extents from = strides_of(x.shape), strides;
  for (int64_t axis : axes) strides.push_back(from[size_t(axis)]);
  return strided(x, shape, strides, 0);
}

Array broadcast(const Array& x, const std::vector<int64_t>& axes, const Extents& shape) {
  Extents from = strides_of(x.shape), strides(shape.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) strides[size_t(axes[i])] = x.shape[i] == 1 ? 0 : from[i];
  return strided(x, shape, strides, 0);
}

using Evaluate = std::function<Result<int64_t>(const Sym&)>;

Result<Extents> evaluate_all(const Shape& values, const Evaluate& evaluate) {
  Extents out;
  for (const Sym& value : values) {
    HAL_TRY_ASSIGN(int64_t number, evaluate(value));
    out.push_back(number);
  }
  return out;
}

Result<Array> slice(const Op& op, const Array& x, const Extents& shape, const Evaluate& evaluate) {
  HAL_TRY_ASSIGN(Extents low, evaluate_all(op.attributes.low, evaluate));
  HAL_TRY_ASSIGN(Extents step, evaluate_all(op.attributes.step, evaluate));
  Extents strides = strides_of(x.shape);
  int64_t base = 0;
  for (size_t a = 0; a < shape.size(); ++a) {
    int64_t last = low[a] + (shape[a] - 1) * step[a];
    if (shape[a] > 0 && (low[a] < 0 || low[a] >= x.shape[a] || last < 0 || last >= x.shape[a])) {
      return invalid_argument(op.label + ": slice leaves axis " + std::to_string(a) + " of extent " +
                              std::to_string(x.shape[a]));
    }
    base += low[a] * strides[a];
    strides[a] *= step[a];
  }
  return strided(x, shape, strides, base);
}

Result<Array> window(const Op& op, const Array& x, const Extents& shape, const Evaluate& evaluate) {
  HAL_TRY_ASSIGN(Extents step, evaluate_all(op.attributes.step, evaluate));
  HAL_TRY_ASSIGN(Extents dilation, evaluate_all(op.attributes.dilation, evaluate));
  Extents from = strides_of(x.shape), strides = from;
  for (size_t i = 0; i < op.attributes.axes.size(); ++i) {
    size_t axis = size_t(op.attributes.axes[i]);
    strides.push_back(from[axis] * dilation[i]);
    strides[axis] = from[axis] * step[i];
  }
  return strided(x, shape, strides, 0);
}

Result<Array> pad(const Op& op, const Array& x, const Array& value, const Extents& shape, const Evaluate& evaluate) {
  HAL_TRY_ASSIGN(Extents low, evaluate_all(op.attributes.low, evaluate));
  HAL_TRY_ASSIGN(Extents interior, evaluate_all(op.attributes.interior, evaluate));
  Array out{x.dtype, shape, x.data};
  std::visit(
      [&](auto& to) {
        using Data = std::decay_t<decltype(to)>;
        const auto& from = std::get<Data>(x.data);
        to.assign(static_cast<size_t>(count(shape)), std::get<Data>(value.data)[0]);
        Extents target = strides_of(shape), source = strides_of(x.shape);
        for (int64_t flat = 0; flat < count(x.shape); ++flat) {
          int64_t offset = 0;
          bool inside = true;
          for (size_t a = 0; a < shape.size(); ++a) {
            int64_t at = low[a] + flat / source[a] % x.shape[a] * (interior[a] + 1);
            inside = inside && at >= 0 && at < shape[a];
            offset += at * target[a];
          }
          if (inside) to[size_t(offset)] = from[size_t(flat)];
        }
      },
      out.data);
  return out;
}

Array concat(const std::vector<const Array*>& x, size_t axis, const Extents& shape) {
  Array out{x[0]->dtype, shape, x[0]->data};
  std::visit(
      [&](auto& to) {
        using Data = std::decay_t<decltype(to)>;
        to.resize(static_cast<size_t>(count(shape)));
        int64_t outer = count(Extents(shape.begin(), shape.begin() + ptrdiff_t(axis)));
        int64_t inner = count(Extents(shape.begin() + ptrdiff_t(axis) + 1, shape.end()));
        int64_t base = 0;
        for (const Array* part : x) {
          const auto& from = std::get<Data>(part->data);
          int64_t run = part->shape[axis] * inner;
          for (int64_t o = 0; o < outer; ++o) {
            std::copy_n(from.begin() + o * run, run, to.begin() + o * shape[axis] * inner + base);
          }
          base += run;
        }
      },
      out.data);
  return out;
}

int64_t index_at(const Array& indices, int64_t i) { return std::get<std::vector<int64_t>>(indices.data)[size_t(i)]; }

Result<Array> gather(const Op& op, const Array& x, const Array& indices, const Extents& shape) {
  size_t axis = size_t(op.attributes.axes[0]);
  int64_t extent = x.shape[axis], picks = count(indices.shape);
  if (extent == 0 && count(shape) > 0) return invalid_argument(op.label + ": gather from an axis of extent 0");
  int64_t outer = count(Extents(x.shape.begin(), x.shape.begin() + ptrdiff_t(axis)));
  int64_t inner = count(Extents(x.shape.begin() + ptrdiff_t(axis) + 1, x.shape.end()));
  Array out{x.dtype, shape, x.data};
  std::visit(
      [&](auto& to) {
        const auto& from = std::get<std::decay_t<decltype(to)>>(x.data);
        to.resize(static_cast<size_t>(count(shape)));
        if (to.empty()) return;
        for (int64_t o = 0; o < outer; ++o) {
          for (int64_t p = 0; p < picks; ++p) {
            int64_t at = std::clamp<int64_t>(index_at(indices, p), 0, extent - 1);
            std::copy_n(from.begin() + (o * extent + at) * inner, inner, to.begin() + (o * picks + p) * inner);
          }
        }
      },
      out.data);
  return out;
}

Array scatter(const Op& op, const Array& x, const Array& indices, const Array& updates) {
  size_t axis = size_t(op.attributes.axes[0]);
  int64_t extent = x.shape[axis], picks = count(indices.shape);
  int64_t outer = count(Extents(x.shape.begin(), x.shape.begin() + ptrdiff_t(axis)));
  int64_t inner = count(Extents(x.shape.begin() + ptrdiff_t(axis) + 1, x.shape.end()));
  Array out = x;
  std::visit(
      [&](auto& to) {
        const auto& from = std::get<std::decay_t<decltype(to)>>(updates.data);
        for (int64_t o = 0; o < outer; ++o) {
          for (int64_t p = 0; p < picks; ++p) {
            int64_t at = index_at(indices, p);
            if (at < 0 || at >= extent) continue;
            for (int64_t i = 0; i < inner; ++i) {
              auto& slot = to[size_t((o * extent + at) * inner + i)];
              slot = round_to(x.dtype, combine(op.attributes.reduce, slot, from[size_t((o * picks + p) * inner + i)]));
            }
          }
        }
      },
      out.data);
  return out;
}

}  // namespace

Result<Array> move(const Op& op, const std::vector<const Array*>& x, const Extents& shape,
                   const std::map<std::string, int64_t>& binding) {
  Evaluate evaluate = [&](const Sym& sym) { return sym.evaluate(binding); };
  switch (op.prim) {
    case Prim::kReshape:
      return Array{x[0]->dtype, shape, x[0]->data};
    case Prim::kTranspose:
      return transpose(*x[0], op.attributes.axes, shape);
    case Prim::kBroadcast:
      return broadcast(*x[0], op.attributes.axes, shape);
    case Prim::kSlice:
      return slice(op, *x[0], shape, evaluate);
    case Prim::kPad:
      return pad(op, *x[0], *x[1], shape, evaluate);
    case Prim::kConcat:
      return concat(x, size_t(op.attributes.axes[0]), shape);
    case Prim::kWindow:
      return window(op, *x[0], shape, evaluate);
    case Prim::kGather:
      return gather(op, *x[0], *x[1], shape);
    case Prim::kScatter:
      return scatter(op, *x[0], *x[1], *x[2]);
    default:
      return internal_error(std::string(info(op.prim).text) + " is not a movement primitive");
  }
}

}  // namespace hal::compiler::interp

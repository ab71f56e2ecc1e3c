// SPDX-License-Identifier: Apache-2.0
#include "onnx/types.hpp"

#include <charconv>

#include "onnx/tensor_proto.hpp"
#include "tensor_io/extents.hpp"

namespace hal::compiler {
namespace {

constexpr size_t kMaxSymbol = 60;

// A name that the printed forms can hold: letters, digits and _, and not a word of the expressions' own.
std::string identifier(const std::string& text) {
  std::string out;
  for (char c : text.substr(0, kMaxSymbol)) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += letter ? c : '_';
  }
  bool is_word = out == "min" || out == "max" || out == "mod" || out == "floordiv" || out == "ceildiv";
  if (out.empty() || (out[0] >= '0' && out[0] <= '9') || is_word) out = "d_" + out;
  return out;
}

}  // namespace

Result<DType> dtype_of_value(const proto::ValueInfoProto& value) {
  const proto::TypeProto& type = value.type();
  const char* kind = type.has_sequence_type()        ? "a sequence"
                     : type.has_map_type()           ? "a map"
                     : type.has_optional_type()      ? "an optional"
                     : type.has_sparse_tensor_type() ? "a sparse tensor"
                     : type.has_opaque_type()        ? "opaque"
                                                     : nullptr;
  if (kind != nullptr) return unsupported(std::string("its type is ") + kind + "; expected a tensor");
  if (type.tensor_type().elem_type() == 0) return DType::kNone;
  return dtype_of_onnx(type.tensor_type().elem_type());
}

Result<TensorType> TypeReader::type_of(const proto::ValueInfoProto& value) {
  HAL_TRY_ASSIGN(DType dtype, dtype_of_value(value));
  if (dtype == DType::kNone) return data_corrupt("it has no element type");
  const auto& type = value.type().tensor_type();
  if (!type.has_shape()) return unsupported("its rank is unknown; expected a shape (its extents may be unknown)");
  if (static_cast<size_t>(type.shape().dim_size()) > kMaxRank) return unsupported("its rank is more than 32");
  TensorType out{dtype, {}};
  for (int axis = 0; axis < type.shape().dim_size(); ++axis) {
    HAL_TRY_ASSIGN(Sym extent, extent_of(type.shape().dim(axis), value.name(), axis));
    out.shape.push_back(std::move(extent));
  }
  return out;
}

// Exporters write an unknown extent as -1, as "?", as "" or not at all.
Result<Sym> TypeReader::extent_of(const proto::TensorShapeProto::Dimension& dim, const std::string& value, int axis) {
  if (dim.has_dim_value() && dim.dim_value() >= 0) {
    if (dim.dim_value() <= kMaxFileExtent) return Sym(dim.dim_value());
    return unsupported("dimension " + std::to_string(axis) + " is " + std::to_string(dim.dim_value()) +
                       "; expected less than 2^31");
  }
  const std::string& param = dim.dim_param();
  if (auto extent = multiple(param)) return *extent;
  if (!param.empty() && param[0] != '?' && param[0] != '-') return named(param);
  return Sym::symbol(fresh(identifier(value) + "_d" + std::to_string(axis)));
}

// "32*h": a model may say so that its extents are always multiples.
std::optional<Sym> TypeReader::multiple(const std::string& dim_param) {
  size_t star = dim_param.find('*');
  int64_t factor = 0;
  auto [end, error] = std::from_chars(dim_param.data(), dim_param.data() + dim_param.size(), factor);
  bool is_factor = error == std::errc() && star != std::string::npos && end == dim_param.data() + star;
  if (!is_factor || factor < 1 || factor > kMaxFileExtent || star + 1 == dim_param.size()) return std::nullopt;
  return Sym(factor) * named(dim_param.substr(star + 1));
}

Sym TypeReader::named(const std::string& dim_param) {
  auto found = symbols_.find(dim_param);
  if (found == symbols_.end()) found = symbols_.emplace(dim_param, fresh(identifier(dim_param))).first;
  return Sym::symbol(found->second);
}

std::string TypeReader::fresh(const std::string& wish) {
  std::string name = wish;
  for (int i = 2; !taken_.insert(name).second; ++i) name = wish + "_" + std::to_string(i);
  return name;
}

}  // namespace hal::compiler

// SPDX-License-Identifier: Apache-2.0
//
// The words of the command line as values.
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "hal_compile/options.hpp"

namespace hal::tools {
namespace {

using compiler::AttributeValue;
using compiler::DType;

std::string trimmed(const std::string& text) {
  size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Split at commas; "" gives no items.
std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> items;
  for (size_t start = 0; !text.empty();) {
    size_t comma = text.find(',', start);
    items.push_back(trimmed(text.substr(start, comma - start)));
    if (comma == std::string::npos) break;
    start = comma + 1;
  }
  return items;
}

Result<int64_t> parse_int(const std::string& text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return invalid_argument("expected a whole number, not \"" + text + "\"");
  return value;
}

Result<double> parse_float(const std::string& text) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return invalid_argument("expected a number, not \"" + text + "\"");
  return value;
}

template <typename T, typename Parse>
Result<std::vector<T>> list_of(const std::string& text, Parse parse) {
  std::vector<T> out;
  for (const std::string& item : items_of(text)) {
    HAL_TRY_ASSIGN(T value, parse(item));
    out.push_back(value);
  }
  return out;
}

template <typename Value>
Result<AttributeValue> as_attribute(Result<Value> value) {
  if (!value) return std::move(value).error();
  return AttributeValue(std::move(value).value());
}

Result<int64_t> parse_bool(const std::string& text) {
  if (text == "true" || text == "1") return int64_t{1};
  if (text == "false" || text == "0") return int64_t{0};
  return invalid_argument("expected true or false, not \"" + text + "\"");
}

Result<DType> parse_dtype(const std::string& text) {
  if (auto dtype = compiler::dtype_from(text)) return *dtype;
  return invalid_argument("expected a dtype such as f32, i64 or bool, not \"" + text + "\"");
}

}  // namespace

Result<std::pair<std::string, std::string>> name_and_value(const std::string& option, const std::string& text) {
  size_t at = text.find('=');
  if (at == std::string::npos || at == 0) return invalid_argument(option + " " + text + ": expected NAME=VALUE");
  return std::pair{text.substr(0, at), text.substr(at + 1)};
}

Result<compiler::TensorType> parse_type(const std::string& text) {
  size_t open = text.find('[');
  if (open == std::string::npos || text.back() != ']') {
    return invalid_argument("expected a type such as f32[4,N] or i64[], not \"" + text + "\"");
  }
  HAL_TRY_ASSIGN(DType dtype, parse_dtype(trimmed(text.substr(0, open))));
  compiler::TensorType type{dtype, {}};
  for (const std::string& item : items_of(text.substr(open + 1, text.size() - open - 2))) {
    HAL_TRY_ASSIGN(compiler::Sym extent, compiler::Sym::parse(item));
    if (extent.constant().value_or(0) < 0) return invalid_argument("an extent is negative in \"" + text + "\"");
    type.shape.push_back(std::move(extent));
  }
  return type;
}

Result<compiler::Tensor> parse_numbers(const std::string& text) {
  bool is_scalar = text.find(',') == std::string::npos && !text.empty();
  if (text.find_first_of(".einEIN") != std::string::npos) {
    HAL_TRY_ASSIGN(auto values, list_of<double>(text, parse_float));
    std::vector<float> floats(values.begin(), values.end());
    std::vector<int64_t> shape;
    if (!is_scalar) shape.push_back(static_cast<int64_t>(floats.size()));
    return compiler::Tensor::of<float>(DType::kF32, shape, floats);
  }
  std::string list =
      !text.empty() && text.back() == ',' ? text.substr(0, text.size() - 1) : text;  // "3,": one in a list
  HAL_TRY_ASSIGN(auto values, list_of<int64_t>(list, parse_int));
  std::vector<int64_t> shape;
  if (!is_scalar) shape.push_back(static_cast<int64_t>(values.size()));
  return compiler::Tensor::of<int64_t>(DType::kI64, shape, values);
}

Result<AttributeValue> parse_attribute(const std::string& type, const std::string& text) {
  if (type == "int") return as_attribute(parse_int(text));
  if (type == "ints") return as_attribute(list_of<int64_t>(text, parse_int));
  if (type == "float") return as_attribute(parse_float(text));
  if (type == "floats") return as_attribute(list_of<double>(text, parse_float));
  if (type == "bool") return as_attribute(parse_bool(text));
  if (type == "dtype") return as_attribute(parse_dtype(text));
  if (type == "tensor") return as_attribute(parse_numbers(text));
  if (type == "strings") return AttributeValue(items_of(text));
  return AttributeValue(text);
}

Result<std::map<std::string, int64_t>> parse_dims(const std::vector<std::string>& dims) {
  std::map<std::string, int64_t> out;
  for (const std::string& dim : dims) {
    HAL_TRY_ASSIGN(auto pair, name_and_value("--dim", dim));
    auto value = parse_int(pair.second);
    if (!value) return invalid_argument("--dim " + dim + ": " + value.error().message);
    out[pair.first] = *value;
  }
  return out;
}

Result<compiler::Target> parse_target(const std::string& text) {
  compiler::Target target;
  size_t comma = text.find(',');
  target.format = text.substr(0, comma);
  if (target.format.find('/') == std::string::npos) {
    return invalid_argument("--target " + text + ": expected a format with its version, such as elf-x86-64/1");
  }
  target.features = comma == std::string::npos ? compiler::host_features() : text.substr(comma + 1);
  return target;
}

}  // namespace hal::tools

// SPDX-License-Identifier: Apache-2.0
#include "lang/builtins.hpp"

#include <sstream>

namespace hal::compiler::lang {
namespace {

const std::map<std::string, Builtin>& table() {
  static const std::map<std::string, Builtin> kTable = [] {
    std::map<std::string, Builtin> out;
    for (auto part : {value_builtins, elementwise_builtins, movement_builtins, reduction_builtins}) {
      for (const Builtin& builtin : part()) out.emplace(builtin.name, builtin);
    }
    return out;
  }();
  return kTable;
}

}  // namespace

const Builtin* find_builtin(const std::string& name) {
  auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> out;
  for (const auto& [name, builtin] : table()) out.push_back(name);
  return out;
}

std::vector<std::string> parameter_names(const Builtin& builtin) {
  std::vector<std::string> out;
  std::istringstream words(builtin.parameters);
  for (std::string word; words >> word;) {
    if (word == "...") continue;
    out.push_back(word.back() == '?' ? word.substr(0, word.size() - 1) : word);
  }
  return out;
}

size_t required_parameters(const Builtin& builtin) {
  size_t count = 0;
  std::istringstream words(builtin.parameters);
  for (std::string word; words >> word;) count += word != "..." && word.back() != '?' ? 1 : 0;
  return count;
}

bool takes_more(const Builtin& builtin) {
  return std::string_view(builtin.parameters).find("...") != std::string_view::npos;
}

Result<TensorView> Call::tensor(size_t i, const char* what) const {
  if (const TensorView* view = arg(i).as_tensor()) return *view;
  return invalid_argument(std::string(what) + " must be a tensor, not " + kind(arg(i)) + " " + text(arg(i)));
}

Result<TensorView> Call::tensor_or_number(size_t i, DType dtype, const char* what) const {
  if (arg(i).as_tensor()) return tensor(i, what);
  return tensors.number(arg(i), dtype);
}

}  // namespace hal::compiler::lang

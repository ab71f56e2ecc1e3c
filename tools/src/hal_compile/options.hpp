// SPDX-License-Identifier: Apache-2.0
//
// hal-compile's command line, and its words as values: types, attributes, targets.
#ifndef TOOLS_HAL_COMPILE_OPTIONS_HPP_
#define TOOLS_HAL_COMPILE_OPTIONS_HPP_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hal/compiler/operators.hpp"
#include "hal/compiler/program.hpp"
#include "tool.hpp"

namespace hal::tools {

struct CompileRequest {
  std::string input, output, device, target, operator_name;
  std::vector<std::string> plugins, print_after, dims, shapes, values, attributes, operators;
  bool no_fuse = false, json = false;
};

// The passes that --print-after knows, in their order; "all" is each of them.
const std::vector<std::string>& pass_names();
const char* compile_examples();
void add_compile_options(CLI::App& app, CompileRequest& request);

// "NAME=VALUE". Errors name the option.
Result<std::pair<std::string, std::string>> name_and_value(const std::string& option, const std::string& text);

// "f32[4, N]", "i64[]"; an extent that is no number is an expression over symbols.
Result<compiler::TensorType> parse_type(const std::string& text);
// "1,-2,3" or "0.5": a tensor of i64, or of f32 if one has a point; one number alone: a scalar.
Result<compiler::Tensor> parse_numbers(const std::string& text);
// By the attribute's declared type: "int", "ints" ("1,2"), "float", "string", "bool" ("true"), "dtype" ("f16"), ...
Result<compiler::AttributeValue> parse_attribute(const std::string& type, const std::string& text);
// "H=640" -> {"H", 640}.
Result<std::map<std::string, int64_t>> parse_dims(const std::vector<std::string>& dims);
// "elf-x86-64/1,x86-64+avx2": format and, after the first comma, features (none: those of this machine).
Result<compiler::Target> parse_target(const std::string& text);

}  // namespace hal::tools

#endif  // TOOLS_HAL_COMPILE_OPTIONS_HPP_

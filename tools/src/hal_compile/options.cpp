// SPDX-License-Identifier: Apache-2.0
#include "hal_compile/options.hpp"

namespace hal::tools {

const std::vector<std::string>& pass_names() {
  static const std::vector<std::string> kNames = {"graph", "portable", "tile", "schedule", "llvm", "assembly"};
  return kNames;
}

const char* compile_examples() {
  return "  hal-compile model.onnx --device cpu:0 -o model.halp\n"
         "  hal-compile model.onnx --dim H=640 --dim W=480 --print-after graph\n"
         "  hal-compile my.op --shape x=f32[4,130] --attr axis=-1 --target elf-x86-64/1 -o my.halp\n"
         "  hal-compile my.op --shape x=f32[N,130] --print-after all > ir.txt\n"
         "  hal-compile model.onnx --target c99 -o model.c";
}

void add_compile_options(CLI::App& app, CompileRequest& request) {
  auto many = [&](const char* option, std::vector<std::string>& to, const char* what, const char* type) {
    return app.add_option(option, to, what)->type_name(type)->allow_extra_args(false);
  };
  app.add_option("FILE", request.input, "A model (.onnx) or an operator (.op)")->type_name("FILE");
  app.add_option("-o,--output", request.output, "Where the compiled program goes (.halp)")->type_name("FILE");
  app.add_option("--device", request.device, "Compile for this device: plugin:index or a UUID")->type_name("DEVICE");
  app.add_option("--target", request.target, "Compile for a format; no device needed. c99: one C file")
      ->type_name("FORMAT[,FEATURES]");
  many("--plugin", request.plugins, "A plugin library or manifest to load besides those found", "FILE");
  std::vector<std::string> passes = pass_names();
  passes.emplace_back("all");
  many("--print-after", request.print_after, "Print what this pass made; may be repeated", "PASS")
      ->check(CLI::IsMember(passes));
  many("--dim", request.dims, "Fix a symbolic dimension of a model", "NAME=N");
  many("--shape", request.shapes, "Of an .op file's input: its type, such as x=f32[4,N]", "NAME=TYPE");
  many("--value", request.values, "Of an .op file's input: a value known when it is compiled", "NAME=NUMBERS");
  many("--attr", request.attributes, "Of an .op file: an attribute", "NAME=VALUE");
  app.add_option("--operator", request.operator_name, "Which operator of the .op file; default: its only one")
      ->type_name("NAME");
  many("--operators", request.operators, "Add operators from a .op file or a folder of them", "PATH");
  app.add_flag("--no-fuse", request.no_fuse, "One kernel for each primitive; the same bits");
  app.add_flag("--json", request.json, "Print the summary as JSON");
}

}  // namespace hal::tools

// SPDX-License-Identifier: Apache-2.0
//
// What all command-line tools share: exit codes, the options that each of them has, and how an error is printed.
// Results go to standard output, everything else to standard error. Not here: what a tool does.
#ifndef TOOLS_TOOL_HPP_
#define TOOLS_TOOL_HPP_

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "completion.hpp"
#include "hal/cxx/result.hpp"

namespace hal::tools {

// docs/commands: the same five for every tool.
inline constexpr int kExitGood = 0;      // done and good
inline constexpr int kExitNotHeld = 1;   // what was asked to hold does not
inline constexpr int kExitUsage = 2;     // wrong use
inline constexpr int kExitMissing = 3;   // no device, plugin or file, or not readable
inline constexpr int kExitInternal = 4;  // an error of our own; please report

// The exit code that an error belongs to.
inline int exit_code_of(hal_status_code_t code) {
  switch (code) {
    case HAL_STATUS_OK:
      return kExitGood;
    case HAL_STATUS_INVALID_ARGUMENT:
      return kExitUsage;
    case HAL_STATUS_NOT_FOUND:
    case HAL_STATUS_PERMISSION_DENIED:
    case HAL_STATUS_UNAVAILABLE:
    case HAL_STATUS_DATA_CORRUPT:
    case HAL_STATUS_INCOMPATIBLE:
      return kExitMissing;
    case HAL_STATUS_INTERNAL:
      return kExitInternal;
    default:
      return kExitNotHeld;
  }
}

// Colour is for people: a terminal, and NO_COLOR (no-color.org) not set.
inline bool is_coloured(int descriptor) { return isatty(descriptor) != 0 && std::getenv("NO_COLOR") == nullptr; }

// One tool: its CLI11 application with --version, --quiet and --completion, and its way to speak.
class Tool {
 public:
  Tool(std::string name, std::string description, std::string examples) : app_(std::move(description), name) {
    app_.set_version_flag("--version", name + " " MORTISE_VERSION);
    app_.add_flag("-q,--quiet", quiet_, "Print results and errors only");
    app_.add_option("--completion", shell_, "Print a completion script for SHELL and exit")
        ->type_name("SHELL")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    app_.footer("Examples:\n" + std::move(examples) +
                "\nExit codes: 0 good; 1 what was asked to hold does not; 2 wrong use; 3 no device, plugin or file, or "
                "not readable; 4 an error of our own.");
    app_.get_formatter()->column_width(32);
  }

  CLI::App& app() { return app_; }
  bool quiet() const { return quiet_; }

  // Reads the command line. A value: the tool is done (help, version, completion, wrong use) and exits with it.
  std::optional<int> parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (!shell_.empty() && error.get_exit_code() != 0) return print_completion();
      return app_.exit(error) == 0 ? kExitGood : kExitUsage;
    }
    if (!shell_.empty()) return print_completion();
    return std::nullopt;
  }

  // Prints an error; returns the exit code that belongs to it.
  int fail(const Error& error) const {
    print("error", "31", error.message);
    return exit_code_of(error.code);
  }

  void warn(std::string_view message) const { print("warning", "33", message); }

  // What is going on, for people; silent with --quiet.
  void note(std::string_view message) const {
    if (!quiet_) std::cerr << app_.get_name() << ": " << message << '\n';
  }

  // Runs the tool's body (returning an exit code); what it throws is an error of our own.
  template <typename Body>
  int run(Body&& body) const {
    try {
      const int code = std::forward<Body>(body)();
      if (std::cout.flush()) return code;
      return fail({HAL_STATUS_UNAVAILABLE, "standard output could not be written; is the disk full?"});
    } catch (const std::exception& error) {
      return fail(internal_error(std::string("unexpected: ") + error.what() + "; please report this"));
    }
  }

 private:
  int print_completion() {
    std::cout << completion_script(app_, shell_);
    return kExitGood;
  }

  void print(std::string_view kind, std::string_view colour, std::string_view message) const {
    const bool coloured = is_coloured(STDERR_FILENO);
    std::cerr << app_.get_name() << ": ";
    if (coloured) std::cerr << "\x1b[" << colour << 'm';
    std::cerr << kind << ':' << (coloured ? "\x1b[0m " : " ") << message << '\n';
  }

  CLI::App app_;
  bool quiet_ = false;
  std::string shell_;
};

}  // namespace hal::tools

#endif  // TOOLS_TOOL_HPP_

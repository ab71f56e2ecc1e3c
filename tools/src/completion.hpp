// SPDX-License-Identifier: Apache-2.0
//
// Shell completion made from a CLI11 application: its options and subcommands, and nothing kept by hand.
#ifndef TOOLS_COMPLETION_HPP_
#define TOOLS_COMPLETION_HPP_

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hal::tools {

// A word that may be typed, with its one-line description.
using CompletionWord = std::pair<std::string, std::string>;

// "--name" of each option and each subcommand of `app`, in the order of the help.
inline std::vector<CompletionWord> completion_words(const CLI::App& app) {
  std::vector<CompletionWord> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.emplace_back("--" + name, option->get_description());
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    words.emplace_back(command->get_name(), command->get_description());
  }
  return words;
}

// One quoted word of the shells' common language: '...' with ' as '\''.
inline std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

inline std::string bash_completion(const std::string& tool, const CLI::App& app) {
  const std::string function = "_complete_" + CLI::detail::find_and_replace(tool, "-", "_");
  std::string words, commands;
  for (const CompletionWord& word : completion_words(app)) words += word.first + " ";
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands += "    " + command->get_name() + ") words=";
    std::string inner;
    for (const CompletionWord& word : completion_words(*command)) inner += word.first + " ";
    commands += shell_quoted(inner) + " ;;\n";
  }
  return "# bash completion for " + tool + "; use: source <(" + tool + " --completion bash)\n" + function +
         "() {\n  local words=" + shell_quoted(words) + "\n  case \"${COMP_WORDS[1]}\" in\n" + commands +
         "    *) ;;\n  esac\n  COMPREPLY=($(compgen -o default -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n" +
         "complete -o default -F " + function + " " + tool + "\n";
}

inline std::string zsh_completion(const std::string& tool, const CLI::App& app) {
  std::string words;
  for (const auto& [word, description] : completion_words(app)) {
    words += "    " + shell_quoted(CLI::detail::find_and_replace(word, ":", "\\:") + ":" + description) + "\n";
  }
  return "#compdef " + tool + "\n# zsh completion for " + tool + "; use: source <(" + tool +
         " --completion zsh)\n_complete_" + CLI::detail::find_and_replace(tool, "-", "_") +
         "() {\n  local -a words=(\n" + words + "  )\n  _describe " + tool + " words\n  _files\n}\ncompdef _complete_" +
         CLI::detail::find_and_replace(tool, "-", "_") + " " + tool + "\n";
}

inline std::string fish_completion(const std::string& tool, const CLI::App& app) {
  std::string script = "# fish completion for " + tool + "; use: " + tool + " --completion fish | source\n";
  for (const auto& [word, description] : completion_words(app)) {
    const bool is_option = word.rfind("--", 0) == 0;
    script += "complete -c " + tool + (is_option ? " -l " + word.substr(2) : " -a " + word) + " -d " +
              shell_quoted(description) + "\n";
  }
  return script;
}

// The script for "bash", "zsh" or "fish".
inline std::string completion_script(const CLI::App& app, const std::string& shell) {
  const std::string& tool = app.get_name();
  if (shell == "bash") return bash_completion(tool, app);
  return shell == "zsh" ? zsh_completion(tool, app) : fish_completion(tool, app);
}

}  // namespace hal::tools

#endif  // TOOLS_COMPLETION_HPP_

// SPDX-License-Identifier: Apache-2.0
//
// The one line that runs a failed case again: key=value words, with %XX for what would break them.
#include <charconv>

#include "hal/conformance/runner.hpp"

namespace hal::conformance {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/._-:,+@").find(c) != std::string_view::npos;
}

std::string escaped(std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain(c)) {
      result += c;
    } else {
      result += '%';
      result += digits[byte >> 4];
      result += digits[byte & 15];
    }
  }
  return result;
}

Result<std::string> unescaped(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    unsigned byte = 0;
    const char* const from = text.data() + i + 1;
    const bool has_two = i + 2 < text.size();
    if (!has_two || std::from_chars(from, from + 2, byte, 16).ptr != from + 2) {
      return invalid_argument(std::string(text) + " has a % without two hexadecimal digits");
    }
    result += static_cast<char>(byte);
    i += 2;
  }
  return result;
}

Result<void> take_config(const std::string& value, Target& target) {
  const size_t colon = value.find(':');
  if (colon == std::string::npos) return invalid_argument("config is KEY:VALUE; got '" + value + "'");
  target.config.emplace_back(value.substr(0, colon), value.substr(colon + 1));
  return {};
}

Result<void> take_word(std::string_view word, RunOptions& options) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos) return invalid_argument("expected key=value, got '" + std::string(word) + "'");
  const std::string_view key = word.substr(0, equals);
  HAL_TRY_ASSIGN(const std::string value, unescaped(word.substr(equals + 1)));
  if (key == "case") {
    options.selection.filter = value;
  } else if (key == "plugin") {
    options.target.plugin = value;
  } else if (key == "device") {
    options.target.device = value;
  } else if (key == "config") {
    return take_config(value, options.target);
  } else if (key == "seed") {
    const auto end = value.data() + value.size();
    const auto [at, error] = std::from_chars(value.data(), end, options.seed);
    if (error != std::errc{} || at != end) return invalid_argument("seed is a number; got '" + value + "'");
  } else {
    return invalid_argument("unknown key '" + std::string(key) + "'; there are case, seed, plugin, device and config");
  }
  return {};
}

}  // namespace

std::string reproduction_line(const Target& target, const std::string& case_name, uint64_t run_seed) {
  std::string line = "case=" + case_name + " seed=" + std::to_string(run_seed);
  if (!target.plugin.empty()) line += " plugin=" + escaped(target.plugin);
  if (!target.device.empty()) line += " device=" + escaped(target.device);
  for (const auto& [key, value] : target.config) line += " config=" + escaped(key + ":" + value);
  return line;
}

Result<RunOptions> parse_reproduction_line(std::string_view line) {
  RunOptions options;
  options.selection.profile = Profile::kExhaustive;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (end != 0) HAL_TRY(take_word(line.substr(0, end), options));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (options.selection.filter.empty() || (options.target.plugin.empty() && options.target.device.empty())) {
    return invalid_argument(
        "a reproduction line has case=NAME and plugin=FILE or device=NAME; copy it whole from a report");
  }
  return options;
}

}  // namespace hal::conformance

// SPDX-License-Identifier: Apache-2.0
#include "filter.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace hal::loader {
namespace {

constexpr size_t kMaxName = 32;

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

bool is_glob(std::string_view glob) {
  const auto allowed = [](char c) { return is_name_char(c) || c == '*' || c == '?'; };
  return !glob.empty() && glob.size() <= kMaxName && glob[0] != '-' && std::all_of(glob.begin(), glob.end(), allowed);
}

bool matches_any(const std::vector<std::string>& globs, const std::string& name) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}

}  // namespace

bool is_plugin_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), is_name_char);
}

Result<Filter> Filter::parse(std::string_view text, std::string_view where) {
  Filter filter;
  if (text.empty()) return filter;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string_view item = text.substr(begin, end - begin);
    const bool negated = !item.empty() && item[0] == '-';
    if (negated) item.remove_prefix(1);
    if (!is_glob(item)) {
      return invalid_argument(std::string(where) + ": item \"" + std::string(text.substr(begin, end - begin)) +
                              "\" at byte " + std::to_string(begin) + " of \"" + std::string(text) +
                              "\" is not a glob over plugin names; expected a-z, 0-9, -, *, ? such as \"cpu,-open*\"");
    }
    (negated ? filter.unwanted_ : filter.wanted_).emplace_back(item);
    begin = end + 1;
  }
  return filter;
}

bool Filter::takes(const std::string& name) const {
  return (wanted_.empty() || matches_any(wanted_, name)) && !matches_any(unwanted_, name);
}

}  // namespace hal::loader

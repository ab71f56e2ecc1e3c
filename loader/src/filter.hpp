// SPDX-License-Identifier: Apache-2.0
//
// Which plugins to use, by globs over their names: "cpu,opencl" takes two, "*,-cpu" and "-cpu" all but one. A malformed
// filter is an error, never ignored.
#ifndef LOADER_FILTER_HPP_
#define LOADER_FILTER_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "hal/cxx/result.hpp"

namespace hal::loader {

class Filter {
 public:
  // Takes everything.
  Filter() = default;

  // `where` names the filter in errors: "the filter of hal_loader_desc_t", "MORTISE_PLUGIN_FILTER".
  static Result<Filter> parse(std::string_view text, std::string_view where);

  bool takes(const std::string& name) const;

 private:
  std::vector<std::string> wanted_;
  std::vector<std::string> unwanted_;
};

// [a-z][a-z0-9-]*, at most 32 bytes: what a plugin may be called.
bool is_plugin_name(std::string_view name);

}  // namespace hal::loader

#endif  // LOADER_FILTER_HPP_

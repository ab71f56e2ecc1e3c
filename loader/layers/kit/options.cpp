// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "text.hpp"

namespace hal::layers {

Result<Options> Options::read(const hal_layer_desc_t& desc, const std::vector<std::string>& known) {
  Options options;
  for (uint32_t i = 0; i < desc.config_count; ++i) {
    const std::string key = loader::to_string(desc.config[i].key);
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return invalid_argument("the configuration key \"" + key +
                              "\" is not known; there are: " + loader::join(known, ", "));
    }
    options.values_[key] = loader::to_string(desc.config[i].value);
  }
  return options;
}

std::string Options::text(const std::string& key, const std::string& otherwise) const {
  const auto found = values_.find(key);
  return found == values_.end() ? otherwise : found->second;
}

Result<uint64_t> Options::number(const std::string& key, uint64_t otherwise, uint64_t most) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return otherwise;
  const std::string& given = found->second;
  uint64_t value = 0;
  const auto [end, failed] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (failed != std::errc() || end != given.data() + given.size() || value > most) {
    return invalid_argument("\"" + key + "\" is \"" + given + "\"; expected a whole number, at most " +
                            std::to_string(most));
  }
  return value;
}

Result<bool> Options::flag(const std::string& key, bool otherwise) const {
  HAL_TRY_ASSIGN(const uint64_t value, number(key, otherwise ? 1 : 0, 1));
  return value == 1;
}

std::string with_process_id(std::string path) {
  for (size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at)) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  return path;
}

}  // namespace hal::layers

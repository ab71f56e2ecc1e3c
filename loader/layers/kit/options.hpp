// SPDX-License-Identifier: Apache-2.0
//
// A layer's configuration: known keys with their values, and an error for any other.
#ifndef LOADER_LAYERS_KIT_OPTIONS_HPP_
#define LOADER_LAYERS_KIT_OPTIONS_HPP_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hal/cxx/result.hpp"
#include "hal/layer.h"

namespace hal::layers {

class Options {
 public:
  // INVALID_ARGUMENT for a key that is not in `known`; the message lists those.
  static Result<Options> read(const hal_layer_desc_t& desc, const std::vector<std::string>& known);

  std::string text(const std::string& key, const std::string& otherwise) const;
  // A whole number, at most `most`.
  Result<uint64_t> number(const std::string& key, uint64_t otherwise, uint64_t most = UINT64_MAX) const;
  // "0" or "1".
  Result<bool> flag(const std::string& key, bool otherwise) const;

 private:
  std::map<std::string, std::string> values_;
};

// "trace-%p.json" with the process id in place of %p.
std::string with_process_id(std::string path);

}  // namespace hal::layers

#endif  // LOADER_LAYERS_KIT_OPTIONS_HPP_

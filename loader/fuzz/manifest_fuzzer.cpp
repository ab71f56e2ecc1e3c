// SPDX-License-Identifier: Apache-2.0
//
// Any bytes are a manifest or an error.
#include <cstdlib>
#include <string_view>

#include "filter.hpp"
#include "manifest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const hal::Result<hal::loader::Manifest> manifest = hal::loader::parse_manifest(text);
  if (!manifest && manifest.error().message.empty()) std::abort();
  if (manifest && !hal::loader::is_plugin_name(manifest->name)) std::abort();
  (void)hal::loader::Filter::parse(text, "fuzzer");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "tensor_io/extents.hpp"

namespace hal::compiler {

std::string text(const std::vector<int64_t>& extents) {
  std::string out = "[";
  for (size_t i = 0; i < extents.size() && i <= kMaxRank; ++i) out += (i ? ", " : "") + std::to_string(extents[i]);
  return out + (extents.size() > kMaxRank + 1 ? ", ...]" : "]");
}

std::optional<uint64_t> checked_bytes(DType dtype, const std::vector<int64_t>& extents, std::string* why) {
  auto refuse = [&](const std::string& reason) {
    *why = "shape " + text(extents) + " " + reason;
    return std::nullopt;
  };
  if (extents.size() > kMaxRank) return refuse("has rank " + std::to_string(extents.size()) + "; at most 32");
  bool empty = false;
  for (int64_t extent : extents) {
    if (extent < 0) return refuse("has the extent " + std::to_string(extent) + "; expected 0 or more");
    if (extent > kMaxFileExtent)
      return refuse("has the extent " + std::to_string(extent) + "; expected less than 2^31");
    empty |= extent == 0;
  }
  uint64_t count = empty ? 0 : 1;
  for (int64_t extent : extents) {
    bool overflow = __builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count);
    if (overflow || count > kMaxTensorBytes || bytes_of(dtype, count) > kMaxTensorBytes) {
      return refuse("takes more than 2^40 bytes");
    }
  }
  return bytes_of(dtype, count);
}

}  // namespace hal::compiler

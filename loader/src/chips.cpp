// SPDX-License-Identifier: Apache-2.0
#include "chips.hpp"

#include <algorithm>
#include <tuple>

namespace hal::loader {
namespace {

struct Found {
  Chip chip;
  size_t found;
};

void add(const Found& claim, std::vector<Found>& all) {
  const auto same = std::find_if(
      all.begin(), all.end(), [&](const Found& other) { return other.chip.device->is_same_chip(*claim.chip.device); });
  if (same == all.end()) {
    all.push_back(claim);
    return;
  }
  const uint32_t also_count = same->chip.also_count + 1;
  if (claim.found < same->found) *same = claim;
  same->chip.also_count = also_count;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int lower = c | 32;
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::vector<Chip> list_chips(const std::vector<Claimant>& claimants) {
  std::vector<Found> all;
  for (const Claimant& claimant : claimants) {
    for (uint32_t i = 0; i < claimant.devices->size(); ++i) {
      const hal_device_info_t* const info = claimant.infos == nullptr ? nullptr : &(*claimant.infos)[i];
      add({{claimant.plugin, i, 0, &(*claimant.devices)[i], info}, claimant.found}, all);
    }
  }
  std::vector<Chip> chips;
  for (const Found& found : all) chips.push_back(found.chip);
  std::sort(chips.begin(), chips.end(),
            [](const Chip& a, const Chip& b) { return std::tie(a.plugin, a.index) < std::tie(b.plugin, b.index); });
  return chips;
}

std::optional<std::array<uint8_t, 16>> parse_uuid(std::string_view text) {
  std::array<uint8_t, 16> uuid{};
  size_t digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    const int value = digit(c);
    if (value < 0 || digits == 32) return std::nullopt;
    uuid[digits / 2] = static_cast<uint8_t>(uuid[digits / 2] << 4 | value);
    ++digits;
  }
  if (digits != 32) return std::nullopt;
  return uuid;
}

}  // namespace hal::loader

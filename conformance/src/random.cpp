// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/random.hpp"

namespace hal::conformance {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;  // section 3.3 of the paper
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;              // golden ratio and sqrt(3) - 1
constexpr int kRounds = 10;

uint64_t fnv1a(const unsigned char* bytes, size_t count) {
  uint64_t hash = 0xCBF29CE484222325;
  for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 0x100000001B3;
  return hash;
}

}  // namespace

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < kRounds; round++) {
    const uint64_t product0 = static_cast<uint64_t>(kMultiplier0) * counter[0];
    const uint64_t product1 = static_cast<uint64_t>(kMultiplier1) * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

uint32_t Random::next() {
  if (left_ == 0) {
    block_ = philox({static_cast<uint32_t>(counter_), static_cast<uint32_t>(counter_ >> 32), stream_, 0},
                    {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)});
    counter_++;
    left_ = 4;
  }
  return block_[4 - left_--];
}

uint32_t Random::below(uint32_t limit) { return static_cast<uint32_t>((static_cast<uint64_t>(next()) * limit) >> 32); }

int32_t Random::between(int32_t low, int32_t high) {
  const uint64_t span = static_cast<uint64_t>(static_cast<int64_t>(high) - low) + 1;
  return static_cast<int32_t>(low + static_cast<int64_t>((next() * span) >> 32));
}

double Random::unit() { return next() * 0x1p-32; }

std::vector<std::byte> Random::bytes(size_t count) {
  std::vector<std::byte> result(count);
  for (size_t at = 0; at < count; at += 4) {
    const uint32_t word = next();
    for (size_t i = 0; i < 4 && at + i < count; i++) result[at + i] = static_cast<std::byte>(word >> (8 * i));
  }
  return result;
}

uint64_t fingerprint(std::span<const std::byte> bytes) {
  return fnv1a(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

uint64_t fingerprint(std::string_view text) {
  return fnv1a(reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

uint64_t case_seed(uint64_t run_seed, std::string_view case_name) {
  const uint64_t name = fingerprint(case_name);
  const auto mixed = philox({static_cast<uint32_t>(name), static_cast<uint32_t>(name >> 32), 0, 0},
                            {static_cast<uint32_t>(run_seed), static_cast<uint32_t>(run_seed >> 32)});
  return static_cast<uint64_t>(mixed[1]) << 32 | mixed[0];
}

}  // namespace hal::conformance

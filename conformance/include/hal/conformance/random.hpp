// SPDX-License-Identifier: Apache-2.0
//
// The suite's own random numbers: Philox-4x32-10 of J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3" (SC'11). Counter-based: number i of a stream is a function of (seed, stream, i) and
// nothing else, so inputs are the same bits on every machine and in every thread. The standard library's distributions
// are not.
#ifndef HAL_CONFORMANCE_RANDOM_HPP_
#define HAL_CONFORMANCE_RANDOM_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hal::conformance {

// One block of Philox-4x32-10. Fixed vectors: random_test.cpp.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

class Random {
 public:
  Random(uint64_t seed, uint32_t stream) : seed_(seed), stream_(stream) {}

  uint32_t next();
  uint32_t below(uint32_t limit);              // 0 <= n < limit; limit is not 0
  int32_t between(int32_t low, int32_t high);  // low <= n <= high
  double unit();                               // 0 <= x < 1, 32 random bits
  std::vector<std::byte> bytes(size_t count);

 private:
  uint64_t seed_;
  uint32_t stream_;
  uint64_t counter_ = 0;
  uint32_t left_ = 0;
  std::array<uint32_t, 4> block_{};
};

// FNV-1a, 64 bits: for "did these bytes change" and for names; not against an adversary.
uint64_t fingerprint(std::span<const std::byte> bytes);
uint64_t fingerprint(std::string_view text);

// The seed of one case of a run.
uint64_t case_seed(uint64_t run_seed, std::string_view case_name);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_RANDOM_HPP_

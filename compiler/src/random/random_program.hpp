// SPDX-License-Identifier: Apache-2.0
//
// Random portable modules with inputs, for tests: valid by construction, small, the same for the same seed everywhere.
// Every element of every result is defined to the bit, or has a tolerance (the table of conformance: 4 ULP for
// functions, 16 for pow and erf, and a fraction of that in 16 bits).
#ifndef COMPILER_RANDOM_RANDOM_PROGRAM_HPP_
#define COMPILER_RANDOM_RANDOM_PROGRAM_HPP_

#include "hal/compiler/portable.hpp"

namespace hal::compiler::random {

// A counter-based generator: number i of a seed depends on nothing else.
class Counter {
 public:
  explicit Counter(uint64_t seed) : seed_(mix(seed + 1)) {}
  uint64_t next() { return mix(seed_ + 0x9E3779B97F4A7C15u * ++count_); }
  // 0 <= result < bound
  int64_t below(int64_t bound) { return static_cast<int64_t>(next() % static_cast<uint64_t>(bound)); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(below(static_cast<int64_t>(from.size())))];
  }

 private:
  static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  uint64_t seed_, count_ = 0;
};

struct RandomProgram {
  uint64_t seed = 0;
  Module module;
  std::vector<Tensor> inputs;
  std::vector<int> tolerance;  // of each value, in ULP: 0 but behind a primitive that is not rounded correctly
};

// The symbols of the module end in `suffix`, so that several modules can become one.
RandomProgram make_program(uint64_t seed, const std::string& suffix = "");

// A tensor of the dtype: small whole numbers, or (wild) any bits with many special values.
Tensor random_tensor(DType dtype, std::vector<int64_t> shape, bool wild, Counter& counter);

}  // namespace hal::compiler::random

#endif  // COMPILER_RANDOM_RANDOM_PROGRAM_HPP_

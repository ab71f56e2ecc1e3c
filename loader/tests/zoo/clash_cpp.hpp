// SPDX-License-Identifier: Apache-2.0
//
// One version, CLASH_VALUE, of a library that a host and two plugins have each in another: see clash_cpp.cpp.
#ifndef LOADER_TESTS_CLASH_CPP_HPP_
#define LOADER_TESTS_CLASH_CPP_HPP_

#include <cstdint>
#include <map>
#include <string>

// As a library is that was built without a thought for this.
#pragma GCC visibility push(default)

namespace clash {

inline uint32_t version = CLASH_VALUE;
inline std::map<std::string, uint32_t> registry = {{"version", CLASH_VALUE}};

template <typename T>
struct Traits {
  static inline uint32_t value = CLASH_VALUE;
};

inline uint32_t* counter() {
  static uint32_t value = CLASH_VALUE;
  return &value;
}

// Another size in each version.
struct Base {
  virtual ~Base() = default;
  virtual uint32_t value() const { return CLASH_VALUE; }
  char padding[8 * CLASH_VALUE] = {};
};

struct Failure {
  uint32_t value = CLASH_VALUE;
  char padding[8 * CLASH_VALUE] = {};
};

inline uint32_t thrown() {
  try {
    throw Failure();
  } catch (const Failure& failure) {
    return failure.value;
  }
}

// 7 times CLASH_VALUE, where nothing is mixed up.
__attribute__((noinline)) inline uint32_t sum_of_all() {
  const Base* const object = new Base;
  const uint32_t sum = version + registry["version"] + Traits<int>::value + *counter() + object->value() +
                       static_cast<uint32_t>(sizeof(object->padding)) / 8 + thrown();
  delete object;
  return sum;
}

}  // namespace clash

#pragma GCC visibility pop

#endif  // LOADER_TESTS_CLASH_CPP_HPP_

// SPDX-License-Identifier: Apache-2.0
//
// What a case's body is given: the target, an opened device, and numbers that are the same on every machine.
#ifndef HAL_CONFORMANCE_CONTEXT_HPP_
#define HAL_CONFORMANCE_CONTEXT_HPP_

#include <memory>

#include "hal/conformance/random.hpp"
#include "hal/conformance/target.hpp"
#include "hal/loader.h"

namespace hal::conformance {

// A loader with one device of the target opened. Lives in the process of a case.
class Session {
 public:
  static Result<std::unique_ptr<Session>> open(const Target& target);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // Closes the device and ends the loader: an error says what the case left alive.
  Result<void> close();

  hal_device_t* device() const { return device_; }
  hal_loader_t* loader() const { return loader_; }
  Result<Snapshot> describe() const;

 private:
  Session() = default;
  hal_loader_t* loader_ = nullptr;
  hal_device_t* device_ = nullptr;
  std::string device_name_;
};

class CaseContext {
 public:
  CaseContext(const Target& target, const Snapshot& snapshot, uint64_t seed)
      : target_(target), snapshot_(snapshot), seed_(seed) {}

  const Target& target() const { return target_; }
  const Snapshot& snapshot() const { return snapshot_; }

  // The device; the first call opens it. Throws CaseFailure.
  hal_device_t* device();
  Session& session();

  // Closes what was opened; an empty result where nothing was.
  Result<void> close();

  // An independent stream of numbers: the same seed, case and stream give the same numbers everywhere.
  Random random(uint32_t stream = 0) const { return Random(seed_, stream); }

 private:
  const Target& target_;
  const Snapshot& snapshot_;
  uint64_t seed_;
  std::unique_ptr<Session> session_;
};

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_CONTEXT_HPP_

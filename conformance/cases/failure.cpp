// SPDX-License-Identifier: Apache-2.0
//
// Failures travel in semaphores and nowhere else: first failure kept, dependents not run, everyone else untouched.
#include <string_view>

#include "cases.hpp"

namespace hal::conformance {
namespace {

constexpr char kRules[] = "HAL-ABI-10, hal/queue.h: failure";

void release_nothing(hal_status_t*) {}

// A failure of the host's own, with a number that must come back.
hal_status_t host_failure(hal_status_code_t code, int64_t vendor_code, const char* text) {
  return {sizeof(hal_status_t), code,           vendor_code, to_hal(text),
          to_hal("host"),       to_hal("test"), nullptr,     release_nothing};
}

void fail(hal_semaphore_t* semaphore, hal_status_code_t code, int64_t number) {
  const hal_status_t failure = host_failure(code, number, "failed on purpose");
  expect_ok(hal_semaphore_fail(semaphore, &failure), "queue.semaphore_fail");
}

// ABORTED, and the first failure at the end of its causes.
void expect_cause(hal_status_t* status, hal_status_code_t code, int64_t number, const std::string& what) {
  expect(status != nullptr, what + ": expected 'aborted', got success");
  expect_well_formed(status, what);
  const hal_status_t* root = status;
  while (root->cause != nullptr) root = root->cause;
  const hal_status_code_t top = status->code, root_code = root->code;
  const int64_t root_number = root->vendor_code;
  const bool has_cause = root != status;
  hal_status_release(status);
  expect(top == HAL_STATUS_ABORTED, what + ": expected 'aborted', got '" + hal_status_code_name(top) + "'");
  expect(has_cause, what + ": 'aborted' has no cause");
  expect(root_code == code && root_number == number,
         what + ": the first failure is '" + std::string(hal_status_code_name(root_code)) + "' with vendor code " +
             std::to_string(root_number) + "; expected '" + hal_status_code_name(code) + "' with " +
             std::to_string(number));
}

hal_status_t* wait_for(Rig& rig, hal_semaphore_t* semaphore, uint64_t value) {
  const hal_semaphore_value_t point{semaphore, value};
  return hal_semaphore_wait(rig.device(), HAL_WAIT_ALL, 1, &point, in_milliseconds(kPatience), nullptr);
}

void reaches_waiters(Rig& rig) {
  const Semaphore semaphore = rig.semaphore(3);
  fail(semaphore.get(), HAL_STATUS_DATA_CORRUPT, 4711);
  for (int i = 0; i < 3; i++) {
    expect_cause(wait_for(rig, semaphore.get(), 10), HAL_STATUS_DATA_CORRUPT, 4711,
                 "queue.semaphore_wait of a failed semaphore");
    uint64_t value = 99;
    expect_cause(hal_semaphore_query(semaphore.get(), &value), HAL_STATUS_DATA_CORRUPT, 4711,
                 "queue.semaphore_query of a failed semaphore");
    expect_equal(value, 3, "the last value that a failed semaphore reached");
  }
}

void first_failure_stays(Rig& rig) {
  const Semaphore semaphore = rig.semaphore();
  fail(semaphore.get(), HAL_STATUS_CANCELLED, 1);
  fail(semaphore.get(), HAL_STATUS_INTERNAL, 2);
  uint64_t value = 0;
  expect_cause(hal_semaphore_query(semaphore.get(), &value), HAL_STATUS_CANCELLED, 1,
               "queue.semaphore_query after two failures");
}

void signal_after_failure(Rig& rig) {
  const Semaphore semaphore = rig.semaphore();
  fail(semaphore.get(), HAL_STATUS_CANCELLED, 1);
  hal_status_release(hal_semaphore_signal(semaphore.get(), 5));
  uint64_t value = 99;
  expect_cause(hal_semaphore_query(semaphore.get(), &value), HAL_STATUS_CANCELLED, 1,
               "queue.semaphore_query after a failure and a signal");
  expect_equal(value, 0, "the value of a semaphore that was signalled after it failed");
}

void fail_null(Rig& rig) {
  const Semaphore semaphore = rig.semaphore();
  expect_code(hal_semaphore_fail(semaphore.get(), nullptr), HAL_STATUS_INVALID_ARGUMENT,
              "queue.semaphore_fail with NULL");
  uint64_t value = 99;
  expect_ok(hal_semaphore_query(semaphore.get(), &value), "queue.semaphore_query after a fail that was refused");
}

// Work behind a failure is not run, and passes the first failure on.
void dependents_do_not_run(Rig& rig) {
  constexpr uint64_t kDepth = 8;
  const Buffer buffer = rig.buffer(kDepth * 64);
  rig.write(buffer.get(), Bytes(kDepth * 64, kPoison));
  std::vector<Semaphore> line;
  for (uint64_t i = 0; i <= kDepth; i++) line.push_back(rig.semaphore());
  for (uint64_t i = 0; i < kDepth; i++) {
    const hal_work_fill_t fill = fill_work(range_of(buffer.get(), i * 64, 64), 1, 1);
    rig.submit({as_work(fill)}, {{line[i].get(), 1}}, {{line[i + 1].get(), 1}});
  }
  fail(line[0].get(), HAL_STATUS_PERMISSION_DENIED, 77);
  expect_cause(wait_for(rig, line[kDepth].get(), 1), HAL_STATUS_PERMISSION_DENIED, 77,
               "the end of a chain whose start failed");
  expect_bytes(rig.read(buffer.get(), 0, kDepth * 64), Bytes(kDepth * 64, kPoison),
               "what work behind a failure would have written");
}

void already_failed(Rig& rig) {
  const Buffer buffer = rig.buffer(64);
  rig.write(buffer.get(), Bytes(64, kPoison));
  const Semaphore bad = rig.semaphore(), good = rig.semaphore(9), done = rig.semaphore();
  fail(bad.get(), HAL_STATUS_CANCELLED, 5);
  const hal_work_fill_t fill = fill_work(range_of(buffer.get()), 1, 1);
  rig.submit({as_work(fill)}, {{good.get(), 1}, {bad.get(), 1}}, {{done.get(), 1}});
  expect_cause(wait_for(rig, done.get(), 1), HAL_STATUS_CANCELLED, 5,
               "work that waits for a semaphore that had failed");
  expect_bytes(rig.read(buffer.get(), 0, 64), Bytes(64, kPoison), "what such work would have written");
}

// One failed wait is enough; the others may never come.
void one_of_two_fails(Rig& rig) {
  const Semaphore bad = rig.semaphore(), never = rig.semaphore(), done = rig.semaphore();
  rig.submit({}, {{never.get(), 1}, {bad.get(), 1}}, {{done.get(), 1}});
  fail(bad.get(), HAL_STATUS_CANCELLED, 6);
  expect_cause(wait_for(rig, done.get(), 1), HAL_STATUS_CANCELLED, 6,
               "work with one wait that failed and one that never comes");
}

void others_are_untouched(Rig& rig) {
  const Semaphore bad = rig.semaphore(), lost = rig.semaphore();
  rig.submit({}, {{bad.get(), 1}}, {{lost.get(), 1}});
  fail(bad.get(), HAL_STATUS_INTERNAL, 8);
  expect_cause(wait_for(rig, lost.get(), 1), HAL_STATUS_INTERNAL, 8, "work behind a failure");
  const Buffer buffer = rig.buffer(100);
  for (int i = 0; i < 10; i++) {
    const hal_work_fill_t fill = fill_work(range_of(buffer.get()), 0x21, 1);
    rig.run({as_work(fill)});
  }
  expect_bytes(rig.read(buffer.get(), 0, 100), Bytes(100, std::byte{0x21}),
               "work on a queue whose earlier submission failed");
}

void wait_any_fails(Rig& rig) {
  const Semaphore never = rig.semaphore(), bad = rig.semaphore();
  fail(bad.get(), HAL_STATUS_CANCELLED, 3);
  const hal_semaphore_value_t points[] = {{never.get(), 1}, {bad.get(), 1}};
  expect_cause(hal_semaphore_wait(rig.device(), HAL_WAIT_ANY, 2, points, in_milliseconds(kPatience), nullptr),
               HAL_STATUS_CANCELLED, 3, "queue.semaphore_wait for any of two, one of which failed");
}

// ---- host calls ----

hal_status_t* fail_call(void* user_data) { return static_cast<hal_status_t*>(user_data); }

void host_call_fails(Rig& rig) {
  hal_status_t failure = host_failure(HAL_STATUS_DATA_CORRUPT, 123, "the host's own failure");
  const Buffer buffer = rig.buffer(64);
  rig.write(buffer.get(), Bytes(64, kPoison));
  const Semaphore first = rig.semaphore(), second = rig.semaphore();
  hal_work_host_call_t call = host_call_work(fail_call, &failure);
  call.header.label = to_hal("the-call");
  const hal_work_fill_t fill = fill_work(range_of(buffer.get()), 1, 1);
  rig.submit({as_work(call), as_work(fill)}, {}, {{first.get(), 1}, {second.get(), 1}});
  expect_cause(wait_for(rig, first.get(), 1), HAL_STATUS_DATA_CORRUPT, 123, "a submission whose host call failed");
  expect_cause(wait_for(rig, second.get(), 1), HAL_STATUS_DATA_CORRUPT, 123, "the second signal of that submission");
  expect_bytes(rig.read(buffer.get(), 0, 64), Bytes(64, kPoison),
               "what the work after a failed host call would have written");
}

// The failure names the operation by its label.
void failure_names_its_origin(Rig& rig) {
  hal_status_t failure = host_failure(HAL_STATUS_DATA_CORRUPT, 0, "the host's own failure");
  const Semaphore done = rig.semaphore();
  hal_work_host_call_t call = host_call_work(fail_call, &failure);
  call.header.label = to_hal("find-me-by-this-label");
  rig.submit({as_work(call)}, {}, {{done.get(), 1}});
  hal_status_t* status = wait_for(rig, done.get(), 1);
  expect(status != nullptr, "a submission whose host call failed: expected 'aborted', got success");
  bool named = false;
  for (const hal_status_t* at = status; at != nullptr; at = at->cause) {
    const std::string_view place(at->call.data, at->call.length);
    named = named || (at->call.length != 0 && place.find("find-me-by-this-label") != std::string_view::npos);
  }
  hal_status_release(status);
  expect(named, "no status in the chain of causes has the operation's label in `call` (hal/status.h)");
}

}  // namespace

Cases failure_cases() {
  return {with_rig("failure.reaches_waiters", kRules, reaches_waiters),
          with_rig("failure.first_stays", kRules, first_failure_stays),
          with_rig("failure.signal_after", kRules, signal_after_failure),
          negative(with_rig("failure.null", kRules, fail_null)),
          with_rig("failure.dependents_do_not_run", kRules, dependents_do_not_run),
          with_rig("failure.already_failed", kRules, already_failed),
          with_rig("failure.one_of_two", kRules, one_of_two_fails),
          with_rig("failure.others_are_untouched", kRules, others_are_untouched),
          with_rig("failure.wait_any", kRules, wait_any_fails),
          needing(HAL_FEATURE_HOST_CALL, with_rig("failure.host_call", kRules, host_call_fails)),
          needing(HAL_FEATURE_HOST_CALL,
                  with_rig("failure.names_its_origin", "hal/status.h: call", failure_names_its_origin))};
}

}  // namespace hal::conformance

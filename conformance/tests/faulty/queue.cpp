// SPDX-License-Identifier: Apache-2.0
//
// The queue group, with its faults around the SDK's.
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <mutex>
#include <vector>

#include "state.hpp"

namespace hal::faulty {
namespace {

const hal_queue_group_t& right = hal_sdk_queue_group;
std::atomic<bool> refused_before{false};
std::mutex big_lock;

void release_nothing(hal_status_t*) {}
hal_status_t without_cause = {
    sizeof(hal_status_t), HAL_STATUS_ABORTED, 0, HAL_SDK_STRING_INIT("failed"), {}, {}, nullptr, release_nothing};

hal_time_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<hal_time_t>(time.tv_sec) * 1000000000u + static_cast<hal_time_t>(time.tv_nsec);
}

// Work items that a wrong plugin changes, and room for the changed ones.
struct Changed {
  std::vector<const hal_work_t*> list;
  std::vector<hal_work_copy_t> copies;
  std::vector<hal_work_fill_t> fills;
  std::vector<hal_work_update_t> updates;
};

struct Locked {
  hal_status_t* (*call)(void*);
  void* user_data;
};

hal_status_t* call_locked(void* user_data) {
  const auto* locked = static_cast<Locked*>(user_data);
  const std::lock_guard lock(big_lock);
  return locked->call(locked->user_data);
}

const hal_work_t* change_copy(const hal_work_t* work, Changed& changed) {
  hal_work_copy_t copy = *reinterpret_cast<const hal_work_copy_t*>(work);
  if (is(Fault::overlap_taken) && copy.source.buffer == copy.target.buffer) copy.target.length = copy.source.length = 0;
  if (is(Fault::range_unchecked)) copy.target.offset = copy.source.offset = copy.target.length = copy.source.length = 0;
  if (copy.source.buffer != nullptr && copy.source.length == HAL_WHOLE_BUFFER)
    copy.source.length = copy.source.buffer->size - copy.source.offset;
  if (is(Fault::copy_is_early) && copy.rows <= 1 && copy.source.length <= 65536) {
    hal_work_update_t update = HAL_WORK_UPDATE_INIT;
    update.target = copy.target;
    update.data = hal_sdk_range_address(&copy.source);
    changed.updates.push_back(update);
    return &changed.updates.back().header;
  }
  changed.copies.push_back(copy);
  return &changed.copies.back().header;
}

const hal_work_t* change_fill(const hal_work_t* work, Changed& changed) {
  hal_work_fill_t fill = *reinterpret_cast<const hal_work_fill_t*>(work);
  if (is(Fault::fill_misaligned_taken) && fill.pattern_size != 0) fill.target.offset = fill.target.length = 0;
  changed.fills.push_back(fill);
  return &changed.fills.back().header;
}

void change_work(const hal_submission_t& in, Changed& changed) {
  changed.copies.reserve(in.work_count);
  changed.fills.reserve(in.work_count);
  changed.updates.reserve(in.work_count);
  for (uint32_t i = 0; i < in.work_count; i++) {
    const hal_work_t* work = in.work[i];
    if (work == nullptr) {
      changed.list.push_back(nullptr);
      continue;
    }
    if (work->type == HAL_WORK_COPY &&
        (is(Fault::overlap_taken) || is(Fault::range_unchecked) || is(Fault::copy_is_early)))
      work = change_copy(work, changed);
    if (work->type == HAL_WORK_FILL && is(Fault::fill_misaligned_taken)) work = change_fill(work, changed);
    if (work->type == HAL_WORK_HOST_CALL && is(Fault::host_call_twice)) changed.list.push_back(work);
    changed.list.push_back(work);
  }
  if (is(Fault::work_reversed)) std::reverse(changed.list.begin(), changed.list.end());
}

// Under host_call_locked each callback takes the lock that submit holds.
hal_status_t* submit_locked(hal_queue_t* queue, const hal_submission_t* submission) {
  const std::lock_guard lock(big_lock);
  std::vector<hal_work_host_call_t> calls;
  std::vector<const hal_work_t*> list(submission->work, submission->work + submission->work_count);
  calls.reserve(list.size());
  for (const hal_work_t*& work : list) {
    if (work == nullptr || work->type != HAL_WORK_HOST_CALL) continue;
    calls.push_back(*reinterpret_cast<const hal_work_host_call_t*>(work));
    if (calls.back().call == nullptr) continue;
    calls.back().user_data = new Locked{calls.back().call, calls.back().user_data};
    calls.back().call = call_locked;
    work = &calls.back().header;
  }
  hal_submission_t changed = *submission;
  changed.work = list.data();
  return right.submit(queue, &changed);
}

// What becomes of a refused submission.
hal_status_t* refuse(hal_queue_t* queue, const hal_submission_t& submission, hal_status_t* status) {
  refused_before = true;
  if (is(Fault::half_enqueued) && submission.work_count > 1) {
    hal_submission_t half = submission;
    half.work_count = 1;
    hal_status_release(right.submit(queue, &half));
  }
  return status;
}

hal_status_t* submit(hal_queue_t* queue, const hal_submission_t* in) {
  if (in == nullptr || in->struct_size < sizeof *in || (in->work_count != 0 && in->work == nullptr))
    return right.submit(queue, in);
  if (is(Fault::host_call_locked)) return submit_locked(queue, in);
  if (is(Fault::error_poisons) && refused_before)
    return hal_sdk_status(HAL_STATUS_INTERNAL, "queue.submit", "an earlier submission was refused");
  if (in->struct_size > sizeof *in) return right.submit(queue, in);
  hal_submission_t submission = *in;
  Changed changed;
  change_work(*in, changed);
  submission.work = changed.list.data();
  submission.work_count = static_cast<uint32_t>(changed.list.size());
  if (is(Fault::waits_ignored)) submission.wait_count = 0;
  if (is(Fault::signals_early)) submission.signal_count = 0;
  hal_status_t* status = right.submit(queue, &submission);
  if (status != nullptr) return refuse(queue, submission, status);
  for (uint32_t i = 0; is(Fault::signals_early) && i < in->signal_count; i++) {
    hal_status_release(right.semaphore_signal(in->signals[i].semaphore, in->signals[i].value));
  }
  return nullptr;
}

hal_status_t* semaphore_query(hal_semaphore_t* semaphore, uint64_t* out_value) {
  if (is(Fault::kind_unchecked) &&
      (semaphore == nullptr ||
       *reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(semaphore) + 8) != HAL_OBJECT_SEMAPHORE))
    return nullptr;
  hal_status_t* status = right.semaphore_query(semaphore, out_value);
  if (status == nullptr || status->code != HAL_STATUS_ABORTED) return status;
  if (is(Fault::failure_hidden)) return hal_status_release(status), nullptr;
  if (is(Fault::cause_lost)) return hal_status_release(status), &without_cause;
  return status;
}

hal_status_t* semaphore_signal(hal_semaphore_t* semaphore, uint64_t value) {
  hal_status_t* status = right.semaphore_signal(semaphore, value);
  if (status == nullptr || !is(Fault::values_shrink)) return status;
  hal_status_release(status);
  return nullptr;
}

hal_status_t* semaphore_fail(hal_semaphore_t* semaphore, const hal_status_t* failure) {
  if (is(Fault::failure_is_signal) && failure != nullptr) return right.semaphore_signal(semaphore, UINT64_MAX >> 2);
  return right.semaphore_fail(semaphore, failure);
}

bool is_behind(uint32_t count, const hal_semaphore_value_t* values) {
  uint64_t value = 0;
  if (count != 1 || values == nullptr || values[0].semaphore == nullptr) return false;
  hal_status_t* status = right.semaphore_query(values[0].semaphore, &value);
  hal_status_release(status);
  return status == nullptr && values[0].value < value;
}

// Waits by looking once, sleeping to the deadline, and looking again.
hal_status_t* wait_deaf(hal_device_t* device, hal_wait_mode_t mode, uint32_t count, const hal_semaphore_value_t* values,
                        hal_time_t deadline, uint32_t* out_index) {
  hal_status_t* status = right.semaphore_wait(device, mode, count, values, HAL_TIME_POLL, out_index);
  if (hal_status_code(status) != HAL_STATUS_TIMEOUT) return status;
  while (now() < deadline) usleep(1000);
  return status;
}

hal_time_t wrong_deadline(hal_time_t deadline) {
  const hal_time_t start = now();
  if (deadline == HAL_TIME_POLL || deadline == HAL_TIME_FOREVER || deadline < start) return deadline;
  if (is(Fault::deadline_in_microseconds)) return start + (deadline - start) / 1000;
  return is(Fault::deadline_forgotten) ? HAL_TIME_FOREVER : deadline;
}

hal_status_t* semaphore_wait(hal_device_t* device, hal_wait_mode_t mode, uint32_t count,
                             const hal_semaphore_value_t* values, hal_time_t deadline, uint32_t* out_index) {
  if (is(Fault::any_is_all) && mode == HAL_WAIT_ANY) mode = HAL_WAIT_ALL;
  if (is(Fault::all_is_any) && mode == HAL_WAIT_ALL) mode = HAL_WAIT_ANY;
  if (is(Fault::wake_up_lost)) return wait_deaf(device, mode, count, values, deadline, out_index);
  if (is(Fault::poll_blocks) && deadline == HAL_TIME_POLL) usleep(50000);
  if (is(Fault::behind_blocks) && is_behind(count, values))
    return hal_sdk_status(HAL_STATUS_TIMEOUT, "queue.semaphore_wait", "the deadline passed");
  hal_status_t* status = right.semaphore_wait(device, mode, count, values, wrong_deadline(deadline), out_index);
  if (is(Fault::cause_lost) && hal_status_code(status) == HAL_STATUS_ABORTED)
    return hal_status_release(status), &without_cause;
  return status;
}

}  // namespace

hal_queue_group_t queue_group() {
  hal_queue_group_t group = right;
  group.submit = submit;
  group.semaphore_query = semaphore_query;
  group.semaphore_signal = semaphore_signal;
  group.semaphore_fail = semaphore_fail;
  group.semaphore_wait = semaphore_wait;
  return group;
}

}  // namespace hal::faulty

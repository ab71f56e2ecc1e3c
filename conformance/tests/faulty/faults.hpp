// SPDX-License-Identifier: Apache-2.0
//
// The wrong behaviours that the faulty plugin can be told to have, one at a time: "faulty.fault=NAME". The table is
// read by the plugin and by the test that every one is caught.
#ifndef CONFORMANCE_TESTS_FAULTY_FAULTS_HPP_
#define CONFORMANCE_TESTS_FAULTY_FAULTS_HPP_

// X(name, glob of the cases that must catch it, what is wrong)
#define FAULT_TABLE(X)                                                                                               \
  /* ABI and device */                                                                                               \
  X(version_echo, "runtime.abi.version*", "the plugin answers with the host's ABI version")                          \
  X(old_host_taken, "runtime.abi.old_host*", "a host that is too old is served")                                     \
  X(open_last_fails, "runtime.device.open_each", "a device is listed that cannot be opened")                         \
  X(enumerate_overruns, "runtime.struct.device.enumerate*", "enumerate writes past the caller's array")              \
  X(caps_ignore_size, "runtime.struct.device.cap*short*", "a short out-struct is filled to its full length")         \
  X(caps_write_tail, "runtime.struct.device.cap*longer*", "more is written than the struct that is known")           \
  X(caps_change, "runtime.device.capabilities_never*", "the snapshot differs from call to call")                     \
  X(alignment_odd, "open: alignment", "a heap's alignment is no power of two")                                  \
  X(few_bindings, "open: max_bindings", "max_bindings is below what the ABI promises")                      \
  X(uuid_changes, "runtime.device.uuid*", "the UUID is another in each instance")                                    \
  X(unknown_key_taken, "runtime.device.initialize_unknown*", "an unknown configuration key is accepted")             \
  X(shutdown_never_busy, "runtime.device.shutdown_while*", "shutdown says success while a device is open")           \
  X(support_garbage, "runtime.device.support_unknown*", "an unknown operator is said to be native")                  \
  X(float_environment, "runtime.process.float*", "subnormals are flushed in the host's thread")                      \
  X(signal_handler, "runtime.process.signal*", "a signal handler is left behind")                                    \
  X(directory_changed, "runtime.process.directory*", "the working directory is changed")                             \
  X(thread_left, "runtime.process.*", "a thread goes on after shutdown")                                             \
  X(descriptor_left, "runtime.process.nothing*", "a descriptor is left open by each instance")                       \
  X(fork_ignored, "runtime.process.forked*", "calls in a forked child succeed")                                      \
  /* memory */                                                                                                       \
  X(flag_ignored, "runtime.memory.unknown_flag", "an unknown flag is accepted")                                      \
  X(tail_ignored, "runtime.struct.memory.buffer_create.tail_with*", "bytes past the known struct are not looked at") \
  X(chain_ignored, "runtime.struct.memory.buffer_create.chain_req*", "a required chain node is skipped")             \
  X(out_of_memory_hidden, "runtime.memory.too_large", "an impossible size succeeds")                                 \
  X(out_of_memory_sticks, "runtime.memory.out_of_memory*", "after one failed creation all fail")                     \
  X(zeroed_ignored, "runtime.memory.zeroed", "HAL_BUFFER_ZEROED memory has old content")                             \
  X(blocks_overlap, "runtime.memory.disjoint_65", "a buffer of one byte over a block overlaps its neighbour")        \
  X(free_spoils, "runtime.memory.disjoint*", "freeing a buffer changes another")                                     \
  X(size_rounded, "runtime.memory.create*", "the size is reported rounded up")                                       \
  X(statistics_stuck, "runtime.memory.statistics", "live_buffers never shrinks")                                     \
  X(failed_create_leaks, "runtime.memory.bad_desc*", "a creation that fails leaves a buffer behind")                 \
  X(destroy_leaks, "runtime.memory.create_64", "buffer_destroy does nothing")                                        \
  X(map_offset_ignored, "runtime.memory.map_with*", "a map begins at the buffer's first byte")                       \
  X(map_range_unchecked, "runtime.memory.map_out*", "a map outside the buffer succeeds")                             \
  X(out_not_zeroed, "runtime.memory.bad_desc*", "a failing creation leaves its out-parameter as it was")             \
  X(heap_unchecked, "runtime.memory.statistics_out*", "statistics of a heap that is not there")                      \
  /* transfers */                                                                                                    \
  X(fill_low_byte, "runtime.memory.fill_pattern2", "a pattern of 2, 4 or 8 bytes uses its lowest alone")             \
  X(fill_misaligned_taken, "runtime.fill.misaligned", "a fill that is not aligned succeeds")                         \
  X(fill_sometimes_lost, "runtime.memory.map_is_fresh", "each sixteenth fill does not happen")                       \
  X(target_offset_ignored, "runtime.copy.size_64", "the target's offset is ignored where the source's is 0")         \
  X(target_pitch_ignored, "runtime.copy.rows", "a 2-D copy uses the source's pitch for both")                        \
  X(overlap_taken, "runtime.copy.overlap", "a copy whose ranges overlap succeeds")                                   \
  X(copy_tail_lost, "runtime.copy.size_65", "the last bytes after a multiple of 8 are not copied")                   \
  X(copy_overruns, "runtime.copy.size_63", "a copy writes whole words past its end")                                 \
  X(copy_ends_late, "runtime.queue.ready*", "the last chunk lands after the signal")                                 \
  X(copy_is_early, "runtime.queue.copies_run*", "small copies read at submit, not when they run")                    \
  X(null_device, "runtime.copy.size_64", "all work succeeds and does nothing")                                       \
  X(zero_device, "runtime.copy.size_64", "all work writes zeros")                                                    \
  X(range_unchecked, "runtime.copy.out_of*", "a copy past a buffer's end is taken")                                  \
  /* queues and semaphores */                                                                                        \
  X(waits_ignored, "runtime.queue.waits_hold*", "the wait list is not waited for")                                   \
  X(signals_early, "runtime.queue.waits_hold*", "semaphores are signalled at submit")                                \
  X(half_enqueued, "runtime.queue.refused_whole", "a refused submission runs its first item")                        \
  X(error_poisons, "runtime.queue.work_tail", "after one refused submission all are refused")                        \
  X(work_reversed, "runtime.queue.work_in*", "the items of a submission run from last to first")                     \
  X(any_is_all, "runtime.semaphore.wait_any", "wait-any waits for all")                                              \
  X(all_is_any, "runtime.semaphore.wait_all", "wait-all is content with one")                                        \
  X(deadline_in_microseconds, "runtime.semaphore.deadline", "a wait ends at a thousandth of its time")               \
  X(deadline_forgotten, "runtime.semaphore.deadline", "a wait never times out")                                      \
  X(poll_blocks, "runtime.semaphore.poll", "a poll sleeps")                                                          \
  X(behind_blocks, "runtime.semaphore.below*", "a wait for a value below the current one blocks")                    \
  X(wake_up_lost, "runtime.semaphore.woken*", "who waits is not woken by a signal")                                  \
  X(values_shrink, "runtime.semaphore.values_do*", "a signal that is not above succeeds")                            \
  X(failure_is_signal, "runtime.failure.dependents*", "what depends on a failure runs")                              \
  X(failure_hidden, "runtime.failure.reaches*", "a failed semaphore's query succeeds")                               \
  X(cause_lost, "runtime.failure.reaches*", "a failure has no cause")                                                \
  X(host_call_twice, "runtime.queue.host_call_once", "a host call is called twice")                                  \
  X(host_call_locked, "runtime.queue.host_call_submits", "a host call runs under the lock that submit takes")        \
  /* errors */                                                                                                       \
  X(errors_all_internal, "runtime.memory.too_large", "each error has the same code")                                 \
  X(errors_without_text, "runtime.memory.too_large", "a status has no message")                                      \
  X(kind_unchecked, "runtime.device.wrong_kind*", "a handle of another kind is taken")                               \
  X(refuses_everything, "runtime.memory.create_64", "every buffer is refused as unsupported")                        \
  X(crash, "runtime.memory.create_4097", "a creation of 4,097 bytes ends the process")                               \
  X(hang, "runtime.memory.create_4097", "a creation of 4,097 bytes never returns")                                   \
  X(exits, "runtime.memory.create_4097", "a creation of 4,097 bytes calls exit(0)")                                  \
  X(wrong_result, "runtime.memory.fill_pattern8", "a fill of 8 bytes has one bit wrong")

namespace hal::faulty {

enum class Fault {
  none,  // the control: nothing is wrong
  slow,  // the control: right, and slow
#define FAULT_ENUMERATOR_(name, cases, text) name,
  FAULT_TABLE(FAULT_ENUMERATOR_)
#undef FAULT_ENUMERATOR_
};

}  // namespace hal::faulty

#endif  // CONFORMANCE_TESTS_FAULTY_FAULTS_HPP_

// SPDX-License-Identifier: Apache-2.0
//
// What a plugin may not change in its host: floating-point environment, signal handlers, directory, locale,
// descriptors, threads. And what a forked child hears.
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <cstring>

#include "cases.hpp"
#include "raw_plugin.hpp"

namespace hal::conformance {
namespace {

constexpr char kRules[] = "HAL-ABI-19, HAL-ABI-23";

// Opens, works, closes: what a host does with a device.
void use_device(CaseContext& context) {
  {
    Rig rig(context);
    const Buffer buffer = rig.buffer(4096);
    const hal_work_fill_t fill = fill_work(range_of(buffer.get()), 1, 1);
    for (int i = 0; i < 10; i++) rig.run({as_work(fill)});
  }
  const Result<void> closed = context.close();
  if (!closed) throw CaseFailure("closing the device: " + closed.error().message);
}

// A division whose result shows rounding, and a number that a flush to zero would lose.
bool is_float_default() {
  volatile float tiny = 1e-40f, one = 1.0f;
  return std::fegetround() == FE_TONEAREST && tiny * one != 0.0f;
}

void float_environment(CaseContext& context) {
  expect(is_float_default(), "the floating-point environment was not the default before the case");
  Rig rig(context);
  expect(is_float_default(), "opening the device changed rounding or flushes subnormals");
  const Buffer buffer = rig.buffer(4096);
  const hal_work_fill_t fill = fill_work(range_of(buffer.get()), 1, 1);
  rig.run({as_work(fill)});
  expect(is_float_default(), "work on the device changed rounding or flushes subnormals in the host's thread");
}

void signal_handlers(CaseContext& context) {
  std::vector<struct sigaction> before(NSIG), after(NSIG);
  for (int i = 1; i < NSIG; i++) sigaction(i, nullptr, &before[static_cast<size_t>(i)]);
  use_device(context);
  for (int i = 1; i < NSIG; i++) {
    const auto at = static_cast<size_t>(i);
    sigaction(i, nullptr, &after[at]);
    expect(before[at].sa_handler == after[at].sa_handler,
           "the plugin changed the handler of signal " + std::to_string(i));
  }
}

void directory_and_locale(CaseContext& context) {
  char before[4096], after[4096];
  expect(getcwd(before, sizeof before) != nullptr, "getcwd");
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  const mode_t mask = umask(022);
  umask(mask);
  use_device(context);
  expect(getcwd(after, sizeof after) != nullptr && std::strcmp(before, after) == 0,
         "the plugin changed the working directory");
  expect(locale == std::setlocale(LC_ALL, nullptr),
         "the plugin changed the locale to " + std::string(std::setlocale(LC_ALL, nullptr)));
  const mode_t mask_after = umask(mask);
  expect(mask == mask_after, "the plugin changed the umask");
}

size_t entries_of(const char* directory) {
  size_t count = 0;
  DIR* open = opendir(directory);
  expect(open != nullptr, std::string("cannot list ") + directory);
  while (readdir(open) != nullptr) count++;
  closedir(open);
  return count;
}

// The kernel removes a joined thread's entry a little later than the join returns.
size_t settled(const char* directory, size_t goal) {
  size_t count = entries_of(directory);
  for (int i = 0; i < 100 && count > goal; i++) {
    usleep(10000);
    count = entries_of(directory);
  }
  return count;
}

void nothing_is_left(CaseContext& context) {
  use_device(context);  // what a library makes once and keeps is not a leak
  CaseContext first(context.target(), context.snapshot(), 0), second(context.target(), context.snapshot(), 0);
  use_device(first);
  const size_t descriptors = entries_of("/proc/self/fd"), threads = settled("/proc/self/task", 3);
  use_device(second);
  expect_equal(settled("/proc/self/fd", descriptors), descriptors,
               "open descriptors after the device was used and closed again");
  expect_equal(settled("/proc/self/task", threads), threads, "threads after the device was used and closed again");
}

void threads_end(CaseContext& context) {
  const size_t before = entries_of("/proc/self/task");
  use_device(context);
  expect_equal(settled("/proc/self/task", before), before, "threads after the plugin was shut down");
}

// Answers of the child come as its exit code.
void forked_child(CaseContext& context) {
  Rig rig(context);
  const pid_t child = fork();
  expect(child >= 0, "fork");
  if (child == 0) {
    hal_heap_statistics_t statistics{};
    statistics.struct_size = sizeof statistics;
    hal_status_t* status = hal_calls_of(rig.device())->memory.heap_statistics(rig.device(), 0, &statistics);
    _exit(hal_status_code(status) == HAL_STATUS_FORKED ? 0 : 1 + static_cast<int>(hal_status_code(status)));
  }
  int status = 0;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status),
         "a call in a forked child ended it by signal " + std::to_string(WTERMSIG(status)) + "; expected 'forked'");
  const int code = WEXITSTATUS(status);
  expect(code == 0, "a call in a forked child: expected 'forked', got '" +
                        std::string(hal_status_code_name(static_cast<hal_status_code_t>(std::max(0, code - 1)))) + "'");
  const Buffer buffer = rig.buffer(64);
  const hal_work_fill_t fill = fill_work(range_of(buffer.get()), 5, 1);
  rig.run({as_work(fill)});
  expect_bytes(rig.read(buffer.get(), 0, 64), Bytes(64, std::byte{5}), "work in the parent after a fork");
}

void open_close_20(CaseContext& context) {
  for (int i = 0; i < 20; i++) {
    CaseContext round(context.target(), context.snapshot(), 0);
    use_device(round);
  }
}

}  // namespace

Cases process_cases() {
  return {in_context("process.float_environment", kRules, float_environment),
          in_context("process.signal_handlers", kRules, signal_handlers),
          in_context("process.directory_and_locale", kRules, directory_and_locale),
          in_context("process.nothing_is_left", kRules, nothing_is_left),
          in_context("process.threads_end", kRules, threads_end),
          in_context("process.forked_child", "HAL-ABI-19", forked_child),
          stress(0.5, in_context("process.open_close_20", kRules, open_close_20))};
}

}  // namespace hal::conformance

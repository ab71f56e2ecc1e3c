// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/isolate.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>

namespace hal::conformance {
namespace {

constexpr char kEndOfAnswer = '\0';
constexpr size_t kOutputKept = 4096;
constexpr size_t kAnswerMost = size_t{4} << 20;

double now_seconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Error system_error(const char* what) {
  return Error{HAL_STATUS_UNAVAILABLE, std::string(what) + ": " + std::strerror(errno)};
}

// Bytes of address space in use, so that a limit counts from there.
uint64_t address_space_in_use() {
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
  std::fclose(file);
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void set_limit(int resource, uint64_t value) {
  rlimit limit{};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
  limit.rlim_cur = std::min<rlim_t>(value, limit.rlim_max);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

void apply(const Limits& limits) {
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_NOFILE, limits.descriptors);
  if (limits.memory_bytes != 0) set_limit(RLIMIT_AS, address_space_in_use() + limits.memory_bytes);
}

void write_all(int descriptor, const std::string& text) {
  size_t at = 0;
  while (at < text.size()) {
    const ssize_t count = write(descriptor, text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    at += static_cast<size_t>(count);
  }
}

// Never returns. _exit: the parent's exit handlers and buffers are not ours.
[[noreturn]] void be_child(const Limits& limits, int answer_fd, int output_fd,
                           const std::function<std::string()>& body) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output_fd, STDOUT_FILENO);
  dup2(output_fd, STDERR_FILENO);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null >= 0) dup2(null, STDIN_FILENO);
  apply(limits);
  try {
    write_all(answer_fd, body() + kEndOfAnswer);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the case threw: %s\n", error.what());
    std::fflush(stderr);
    _exit(70);
  }
  std::fflush(nullptr);
  _exit(0);
}

std::string tail_of(int descriptor) {
  const off_t size = lseek(descriptor, 0, SEEK_END);
  if (size <= 0) return {};
  const off_t from = size > static_cast<off_t>(kOutputKept) ? size - static_cast<off_t>(kOutputKept) : 0;
  std::string text(static_cast<size_t>(size - from), '\0');
  const ssize_t count = pread(descriptor, text.data(), text.size(), from);
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return text;
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return "the process was ended by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
  }
  return "the process ended with exit code " + std::to_string(WEXITSTATUS(status)) + " before the case did";
}

std::string describe_timeout(double limit) {
  char text[64];
  std::snprintf(text, sizeof text, "no end within %.3g s; the process was killed", limit);
  return text;
}

}  // namespace

Result<Child> Child::start(const Limits& limits, const std::function<std::string()>& body) {
  int pipe_fds[2];
  const int output = memfd_create("case-output", MFD_CLOEXEC);
  if (output < 0) return system_error("a file for the case's output could not be made");
  if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
    close(output);
    return system_error("a pipe could not be made");
  }
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) be_child(limits, pipe_fds[1], output, body);
  close(pipe_fds[1]);
  if (pid < 0) {
    close(pipe_fds[0]);
    close(output);
    return system_error("a process could not be started");
  }
  setpgid(pid, pid);  // both sides, so that it holds whoever comes first
  fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
  Child child;
  child.pid_ = pid;
  child.answer_fd_ = pipe_fds[0];
  child.output_fd_ = output;
  child.started_ = now_seconds();
  child.limit_ = limits.deadline_seconds;
  child.deadline_ = child.started_ + limits.deadline_seconds;
  return child;
}

Child::Child(Child&& other) noexcept { *this = std::move(other); }

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(answer_fd_, other.answer_fd_);
  std::swap(output_fd_, other.output_fd_);
  std::swap(closed_, other.closed_);
  std::swap(started_, other.started_);
  std::swap(deadline_, other.deadline_);
  std::swap(limit_, other.limit_);
  std::swap(answer_, other.answer_);
  return *this;
}

Child::~Child() {
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (answer_fd_ >= 0) close(answer_fd_);
  if (output_fd_ >= 0) close(output_fd_);
}

double Child::seconds_left() const { return std::max(0.0, deadline_ - now_seconds()); }

void Child::read_some() {
  char block[4096];
  for (;;) {
    const ssize_t count = read(answer_fd_, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) closed_ = true;
    if (count <= 0) return;
    if (answer_.size() < kAnswerMost) answer_.append(block, static_cast<size_t>(count));
  }
}

bool Child::finish(Outcome& outcome, bool timed_out) {
  int status = 0;
  const bool answered = !answer_.empty() && answer_.back() == kEndOfAnswer;
  kill(-pid_, SIGKILL);  // also what the plugin started
  waitpid(pid_, &status, 0);
  pid_ = -1;
  outcome.seconds = now_seconds() - started_;
  outcome.output = tail_of(output_fd_);
  outcome.ending = answered ? Ending::kAnswered : timed_out ? Ending::kTimedOut : Ending::kCrashed;
  if (answered) {
    answer_.pop_back();
    outcome.answer = std::move(answer_);
  } else {
    outcome.how = timed_out ? describe_timeout(limit_) : describe_end(status);
  }
  return true;
}

bool Child::step(Outcome& outcome) {
  read_some();
  const bool timed_out = now_seconds() >= deadline_;
  if (timed_out) return finish(outcome, true);
  if (closed_ || (!answer_.empty() && answer_.back() == kEndOfAnswer)) {
    // An answer is not the end: a crash while the process exits is the plugin's too.
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
      return false;
    if (info.si_code != CLD_EXITED || info.si_status != 0) answer_.clear();
    return finish(outcome, false);
  }
  return false;
}

Result<Outcome> run_isolated(const Limits& limits, const std::function<std::string()>& body) {
  HAL_TRY_ASSIGN(Child child, Child::start(limits, body));
  Outcome outcome;
  while (!child.step(outcome)) {
    pollfd poll_fd{child.descriptor(), POLLIN, 0};
    poll(&poll_fd, 1, static_cast<int>(std::min(50.0, std::ceil(child.seconds_left() * 1000.0))));
    if ((poll_fd.revents & POLLHUP) != 0 && (poll_fd.revents & POLLIN) == 0) poll(nullptr, 0, 1);
  }
  return outcome;
}

}  // namespace hal::conformance

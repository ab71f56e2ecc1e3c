// SPDX-License-Identifier: Apache-2.0
#include "suite.hpp"

#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "model.hpp"
#include "open_device.hpp"
#include "test_data.hpp"

namespace hal::tools {

namespace fs = std::filesystem;

namespace {

struct Worker {
  pid_t process;
  int pipe;
  size_t index;
  std::string output;
  std::chrono::steady_clock::time_point deadline;
};

std::vector<SuiteCase> find_cases(const SuiteOptions& options) {
  std::vector<SuiteCase> cases;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(options.folder, error); at != fs::end(at); at.increment(error)) {
    if (error) break;
    if (at->path().filename() != "model.onnx") continue;
    std::string name = fs::relative(at->path().parent_path(), options.folder, error);
    if (fnmatch(options.filter.c_str(), name.c_str(), 0) == 0) cases.push_back({name, SuiteVerdict::kFail, {}});
  }
  std::sort(cases.begin(), cases.end(), [](const SuiteCase& a, const SuiteCase& b) { return a.name < b.name; });
  return cases;
}

Result<void> run_case_on(hal_device_t* device, const std::string& folder, const Tolerance& tolerance) {
  Model model(folder + "/model.onnx", device, {});
  HAL_TRY_ASSIGN(auto sets, data_set_folders(folder));
  for (const std::string& set : sets) {
    DataSetResult result = check_data_set(model, set, tolerance);
    if (result.status != HAL_STATUS_OK) return Error{result.status, result.reason};
    if (!result.passed) return Error{HAL_STATUS_ABORTED, fs::path(set).filename().string() + ": " + result.reason};
  }
  return {};
}

Result<void> run_case(const std::string& folder, const SuiteOptions& options) {
  HAL_TRY_ASSIGN(OpenDevice device, OpenDevice::open(options.device, options.plugins));
  return run_case_on(device.get(), folder, options.tolerance);
}

// In the child: the verdict as one letter and the reason, to the pipe.
[[noreturn]] void child(const std::string& folder, const SuiteOptions& options, int pipe) {
  auto result = run_case(folder, options);
  std::string line = "P";
  if (!result) line = (result.error().code == HAL_STATUS_UNSUPPORTED ? "U" : "F") + result.error().message;
  size_t written = 0;
  while (written < line.size()) {
    ssize_t n = write(pipe, line.data() + written, line.size() - written);
    if (n <= 0) break;
    written += static_cast<size_t>(n);
  }
  _exit(0);
}

Worker start(const SuiteCase& suite_case, size_t index, const SuiteOptions& options) {
  int ends[2] = {-1, -1};
  Worker worker{-1, -1, index, {}, std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds_per_case)};
  if (pipe(ends) != 0) return worker;
  worker.process = fork();
  if (worker.process == 0) {
    setpgid(0, 0);
    close(ends[0]);
    child((fs::path(options.folder) / suite_case.name).string(), options, ends[1]);
  }
  close(ends[1]);
  worker.pipe = ends[0];
  return worker;
}

void finish(Worker& worker, bool timed_out, SuiteCase* out) {
  if (timed_out) kill(-worker.process, SIGKILL);
  int status = 0;
  waitpid(worker.process, &status, 0);
  close(worker.pipe);
  out->reason = worker.output.empty() ? "" : worker.output.substr(1);
  if (timed_out) {
    out->verdict = SuiteVerdict::kTimeout;
    out->reason = "did not end in time";
  } else if (WIFSIGNALED(status) || worker.output.empty()) {
    out->verdict = SuiteVerdict::kCrash;
    out->reason = WIFSIGNALED(status) ? std::string("ended by ") + strsignal(WTERMSIG(status)) : "ended early";
  } else {
    out->verdict = worker.output[0] == 'P'   ? SuiteVerdict::kPass
                   : worker.output[0] == 'U' ? SuiteVerdict::kUnsupported
                                             : SuiteVerdict::kFail;
  }
}

// Waits for output of any worker; true when its pipe closed or its time is over.
bool advance(std::vector<Worker>& workers, size_t* ended, bool* timed_out) {
  std::vector<pollfd> descriptors;
  for (const Worker& worker : workers) descriptors.push_back({worker.pipe, POLLIN, 0});
  poll(descriptors.data(), descriptors.size(), 200);
  for (size_t i = 0; i < workers.size(); ++i) {
    *ended = i;
    *timed_out = std::chrono::steady_clock::now() > workers[i].deadline;
    if (*timed_out) return true;
    if (descriptors[i].revents == 0) continue;
    char bytes[4096];
    ssize_t n = read(workers[i].pipe, bytes, sizeof(bytes));
    if (n <= 0) return true;
    workers[i].output.append(bytes, static_cast<size_t>(n));
  }
  return false;
}

}  // namespace

const char* name(SuiteVerdict verdict) {
  static constexpr const char* kNames[] = {"PASS", "FAIL", "UNSUPPORTED", "CRASH", "TIMEOUT"};
  return kNames[static_cast<int>(verdict)];
}

std::vector<SuiteCase> run_suite(const SuiteOptions& options,
                                 void (*done)(const SuiteCase&, size_t index, size_t total)) {
  std::vector<SuiteCase> cases = find_cases(options);
  std::vector<Worker> workers;
  size_t next = 0;
  while (next < cases.size() || !workers.empty()) {
    while (next < cases.size() && workers.size() < std::max(1u, options.jobs)) {
      workers.push_back(start(cases[next], next, options));
      ++next;
    }
    size_t ended = 0;
    bool timed_out = false;
    if (!advance(workers, &ended, &timed_out)) continue;
    Worker worker = std::move(workers[ended]);
    workers.erase(workers.begin() + static_cast<ptrdiff_t>(ended));
    finish(worker, timed_out, &cases[worker.index]);
    done(cases[worker.index], worker.index, cases.size());
  }
  return cases;
}

}  // namespace hal::tools

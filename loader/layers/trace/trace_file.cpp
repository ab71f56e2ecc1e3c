// SPDX-License-Identifier: Apache-2.0
#include "trace_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>

namespace hal::layers::trace {
namespace {

struct OpenFiles {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<TraceFile>> by_path;
};

// Used by attach alone, so it may go with the library.
OpenFiles& open_files() {
  static OpenFiles files;
  return files;
}

uint64_t next_identity() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

Result<std::shared_ptr<TraceFile>> TraceFile::open(const std::string& path) {
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  if (std::shared_ptr<TraceFile> known = files.by_path[path].lock()) return known;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return Error{HAL_STATUS_UNAVAILABLE, "the trace cannot be written to " + path + ": " + std::strerror(errno)};
  }
  std::shared_ptr<TraceFile> file(new TraceFile(descriptor));
  files.by_path[path] = file;
  return file;
}

TraceFile::TraceFile(int descriptor) : descriptor_(descriptor), identity_(next_identity()) { put("[\n"); }

TraceFile::~TraceFile() {
  put("\n]\n");
  close(descriptor_);
}

// A disk that is full ends the trace, not the program.
void TraceFile::put(const std::string& text) {
  for (size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(descriptor_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    written += static_cast<size_t>(count);
  }
}

void TraceFile::write(const Json& event) {
  const std::string text = event.dump(-1, ' ', true, Json::error_handler_t::replace);
  const std::lock_guard lock(mutex_);
  put(is_first_ ? text : ",\n" + text);
  is_first_ = false;
}

uint64_t TraceFile::next_id() {
  const std::lock_guard lock(mutex_);
  return ++last_id_;
}

int64_t TraceFile::thread() {
  thread_local uint64_t named_in = 0;
  const auto id = static_cast<int64_t>(gettid());
  if (named_in == identity_) return id;
  named_in = identity_;
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  write({{"name", "thread_name"}, {"ph", "M"}, {"pid", getpid()}, {"tid", id}, {"args", {{"name", name}}}});
  return id;
}

}  // namespace hal::layers::trace

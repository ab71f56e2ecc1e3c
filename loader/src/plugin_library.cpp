// SPDX-License-Identifier: Apache-2.0
#include "plugin_library.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <new>
#include <utility>

#include "absent.hpp"
#include "status.hpp"

namespace hal::loader {
namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

struct OpenLibraries {
  // Held while the dynamic linker works, as its own lock is: a fork in between would leave that one locked in the
  // child.
  std::recursive_mutex linking;
  std::mutex mutex;  // of what follows
  std::map<FileIdentity, std::weak_ptr<PluginLibrary>> by_file;
  std::vector<boost::dll::shared_library> kept;  // see keep_mapped
};

// Never destroyed: a loader may be released by another library's exit handlers.
OpenLibraries& open_libraries() {
  static auto* const instance = new OpenLibraries;
  return *instance;
}

Result<FileIdentity> identity_of(const std::filesystem::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return not_found(path.string() + " has gone");
  return FileIdentity{info.st_dev, info.st_ino};
}

}  // namespace

// dlerror's text, without the path that the caller names anyway.
std::string dl_message(const std::filesystem::path& path) {
  const char* const text = dlerror();
  std::string message = text == nullptr ? "the dynamic linker gave no reason" : text;
  const std::string prefix = path.string() + ": ";
  if (message.rfind(prefix, 0) == 0) message.erase(0, prefix.size());
  return message;
}

Result<std::shared_ptr<PluginLibrary>> PluginLibrary::open(const std::filesystem::path& path,
                                                           std::shared_ptr<const Log> log) {
  HAL_TRY_ASSIGN(const FileIdentity identity, identity_of(path));
  OpenLibraries& all = open_libraries();
  {
    const std::lock_guard lock(all.mutex);
    if (std::shared_ptr<PluginLibrary> known = all.by_file[identity].lock()) {
      known->add_log(std::move(log));
      return known;
    }
  }
  std::shared_ptr<PluginLibrary> library(new PluginLibrary);
  library->add_log(std::move(log));
  HAL_TRY(library->load(path));
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.by_file, [](const auto& entry) { return entry.second.expired(); });
  all.by_file[identity] = library;
  return library;
}

Result<void> PluginLibrary::load(const std::filesystem::path& path) {
  using boost::dll::load_mode::rtld_local;
  using boost::dll::load_mode::rtld_now;
  std::error_code failed;
  {
    const std::lock_guard lock(open_libraries().linking);
    library_.load(path, failed, rtld_now | rtld_local);
    if (failed) return Error{HAL_STATUS_UNAVAILABLE, "the dynamic linker refused it: " + dl_message(path)};
  }
  if (!library_.has(HAL_PLUGIN_QUERY_NAME)) {
    return Error{HAL_STATUS_INCOMPATIBLE, "missing symbol " HAL_PLUGIN_QUERY_NAME " (Mortise HAL ABI " +
                                              abi_text(HAL_ABI_VERSION) + "); this is not a plugin"};
  }
  host_ = {sizeof(hal_host_t),
           HAL_ABI_VERSION,
           to_hal("libhal " MORTISE_VERSION),
           this,
           [](void*) { return hal_time_now(); },
           [](void* context, hal_log_level_t level, hal_string_t message) {
             static_cast<PluginLibrary*>(context)->write_log(level, message);
           }};
  auto* const query = library_.get<hal_status_t*(const hal_host_t*, const hal_plugin_t**)>(HAL_PLUGIN_QUERY_NAME);
  const hal_plugin_t* plugin = nullptr;
  HAL_TRY(call_plugin(HAL_PLUGIN_QUERY_NAME, [&] { return query(&host_, &plugin); }));
  HAL_TRY_ASSIGN(negotiated_, negotiate(plugin, own_sanitizer()));
  calls_ = calls_into(negotiated_.tables);
  register_calls(calls(), negotiated_.name);
  return {};
}

PluginLibrary::~PluginLibrary() {
  unregister_calls(calls());
  if (keeps_mapped_) {
    const std::lock_guard lock(open_libraries().mutex);
    open_libraries().kept.push_back(std::move(library_));
  }
  const std::lock_guard lock(open_libraries().linking);
  library_.unload();  // before the log goes: the library's destructors may still write
}

void PluginLibrary::add_log(std::shared_ptr<const Log> log) {
  const std::lock_guard lock(log_mutex_);
  std::erase_if(logs_, [](const auto& old) { return old.expired(); });
  logs_.push_back(std::move(log));
}

void PluginLibrary::write_log(hal_log_level_t level, hal_string_t message) noexcept try {
  std::vector<std::shared_ptr<const Log>> logs;
  {
    const std::lock_guard lock(log_mutex_);
    for (const auto& log : logs_) {
      if (std::shared_ptr<const Log> alive = log.lock()) logs.push_back(std::move(alive));
    }
  }
  Result<std::string> text = read_plugin_string(message, "log message", 4096);
  const std::string line = negotiated_.name + ": " + (text ? *text : text.error().message);
  for (const auto& log : logs) log->write(level, line);
} catch (const std::exception&) {
  return;  // short of memory: a message is lost, and the plugin's call goes on
}

std::recursive_mutex& linking_lock() { return open_libraries().linking; }

void lock_libraries() {
  open_libraries().linking.lock();
  open_libraries().mutex.lock();
}

void unlock_libraries(bool is_child) {
  open_libraries().mutex.unlock();
  // A recursive lock knows its thread by a number that changes in the child, so there it is made anew.
  if (is_child) {
    new (&open_libraries().linking) std::recursive_mutex;
  } else {
    open_libraries().linking.unlock();
  }
}

}  // namespace hal::loader

// SPDX-License-Identifier: Apache-2.0
#include "plugin_library.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <new>
#include <utility>

#include "absent.hpp"
#include "linker.hpp"
#include "status.hpp"

namespace hal::loader {
namespace {

struct Entry {
  std::weak_ptr<PluginLibrary> library;
  bool is_opening = false;  // by a thread that will say when it is done
};

// Never destroyed: a loader may be released by another library's exit handlers.
struct OpenLibraries {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<FileIdentity, Entry> by_file;
};
OpenLibraries& open_libraries() {
  static auto* const instance = new OpenLibraries;
  return *instance;
}

Result<FileIdentity> identity_of(const std::filesystem::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return not_found(path.string() + " has gone");
  return FileIdentity{info.st_dev, info.st_ino};
}

// The library of a file, if it is open; else an entry that the caller must finish.
std::shared_ptr<PluginLibrary> find_or_begin(const FileIdentity& identity) {
  OpenLibraries& all = open_libraries();
  std::unique_lock lock(all.mutex);
  for (;;) {
    Entry& entry = all.by_file[identity];
    if (std::shared_ptr<PluginLibrary> known = entry.library.lock()) return known;
    if (!entry.is_opening) {
      entry.is_opening = true;
      return nullptr;
    }
    all.changed.wait(lock);
  }
}

void finish_opening(const FileIdentity& identity, const std::shared_ptr<PluginLibrary>& library) {
  OpenLibraries& all = open_libraries();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.by_file, [](const auto& item) { return !item.second.is_opening && item.second.library.expired(); });
  if (library == nullptr) {
    all.by_file.erase(identity);
  } else {
    all.by_file[identity] = {library, false};
  }
  all.changed.notify_all();
}

}  // namespace

Result<std::shared_ptr<PluginLibrary>> PluginLibrary::open(const std::filesystem::path& path,
                                                           const std::shared_ptr<const Log>& log) {
  HAL_TRY_ASSIGN(const FileIdentity identity, identity_of(path));
  HostTable& host = HostTable::of(identity);
  host.add_log(log);
  if (std::shared_ptr<PluginLibrary> known = find_or_begin(identity)) return known;
  std::shared_ptr<PluginLibrary> library(new PluginLibrary);
  const Result<void> loaded = library->load(path, host);
  finish_opening(identity, loaded ? library : nullptr);
  if (!loaded) return loaded.error();
  return library;
}

Result<void> PluginLibrary::load(const std::filesystem::path& path, HostTable& host) {
  // Who waits for the loader has a deadline; this thread may wait for ever.
  HAL_TRY(Linker::load(library_, path.string(), std::chrono::nanoseconds::max()));
  void* const symbol = Linker::find(library_, HAL_PLUGIN_QUERY_NAME);
  if (symbol == nullptr) {
    return Error{HAL_STATUS_INCOMPATIBLE, "missing symbol " HAL_PLUGIN_QUERY_NAME " (Mortise HAL ABI " +
                                              abi_text(HAL_ABI_VERSION) + "); this is not a plugin"};
  }
  const auto query = reinterpret_cast<hal_plugin_query_fn>(symbol);
  const hal_plugin_t* plugin = nullptr;
  HAL_TRY(call_plugin(HAL_PLUGIN_QUERY_NAME, [&] { return query(host.table(), &plugin); }));
  HAL_TRY_ASSIGN(negotiated_, negotiate(plugin, own_sanitizer()));
  calls_ = calls_into(negotiated_.tables);
  host.set_name(negotiated_.name);
  register_calls(calls(), negotiated_.name);
  return {};
}

PluginLibrary::~PluginLibrary() {
  unregister_calls(calls());
  if (keeps_mapped_) Linker::keep(library_);
  Linker::unload(library_);  // before the log goes: the library's destructors may still write
}

void lock_libraries() { open_libraries().mutex.lock(); }

void unlock_libraries(bool is_child) {
  OpenLibraries& all = open_libraries();
  if (is_child) {
    // Those who were opening or waiting are not here.
    std::erase_if(all.by_file, [](const auto& item) { return item.second.is_opening; });
    new (&all.changed) std::condition_variable;
  }
  all.mutex.unlock();
}

}  // namespace hal::loader

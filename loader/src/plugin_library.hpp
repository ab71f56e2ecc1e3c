// SPDX-License-Identifier: Apache-2.0
//
// One opened plugin library: its handle and its negotiated calls. Loaders of one process share it, so that a plugin is
// asked once per load.
#ifndef LOADER_PLUGIN_LIBRARY_HPP_
#define LOADER_PLUGIN_LIBRARY_HPP_

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>
#include <filesystem>
#include <memory>

#include "host_table.hpp"
#include "log.hpp"
#include "negotiate.hpp"

namespace hal::loader {

class PluginLibrary {
 public:
  // Opens the library (RTLD_NOW | RTLD_LOCAL), asks it and checks what it says; or finds it open already. While the
  // caller keeps `log` alive, the plugin's messages go there too.
  static Result<std::shared_ptr<PluginLibrary>> open(const std::filesystem::path& path,
                                                     const std::shared_ptr<const Log>& log);

  ~PluginLibrary();
  PluginLibrary(const PluginLibrary&) = delete;
  PluginLibrary& operator=(const PluginLibrary&) = delete;

  const Negotiated& about() const { return negotiated_; }
  const hal_calls_t* calls() const { return &calls_; }

  // For a plugin that left threads behind: unmapping its code would end the process, so it stays.
  void keep_mapped() { keeps_mapped_ = true; }

 private:
  PluginLibrary() = default;
  Result<void> load(const std::filesystem::path& path, HostTable& host);

  boost::dll::shared_library library_;
  Negotiated negotiated_;
  hal_calls_t calls_{};  // into negotiated_.tables
  bool keeps_mapped_ = false;
};

// Around fork: the register of open libraries is whole in the child.
void lock_libraries();
void unlock_libraries(bool is_child);

}  // namespace hal::loader

#endif  // LOADER_PLUGIN_LIBRARY_HPP_

// SPDX-License-Identifier: Apache-2.0
//
// What a plugin gets from its host, and where the plugin's messages go. One for each library file, made once and never
// destroyed: a plugin keeps the pointer until it is unloaded, and another copy of libhal in this process, or a late
// thread, may hold it loaded for longer than this copy knows.
#ifndef LOADER_HOST_TABLE_HPP_
#define LOADER_HOST_TABLE_HPP_

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hal/plugin.h"
#include "log.hpp"

namespace hal::loader {

using FileIdentity = std::pair<dev_t, ino_t>;

class HostTable {
 public:
  static HostTable& of(const FileIdentity& file);

  HostTable(const HostTable&) = delete;
  HostTable& operator=(const HostTable&) = delete;

  const hal_host_t* table() const { return &table_; }

  // The plugin's name, which begins its messages.
  void set_name(const std::string& name);

  // While the caller keeps `log` alive, the plugin's messages go there too.
  void add_log(const std::shared_ptr<const Log>& log);

 private:
  HostTable();
  void write(hal_log_level_t level, hal_string_t message) noexcept;

  hal_host_t table_;
  std::mutex mutex_;  // of what follows
  std::string name_;
  std::vector<std::weak_ptr<const Log>> logs_;
};

}  // namespace hal::loader

#endif  // LOADER_HOST_TABLE_HPP_

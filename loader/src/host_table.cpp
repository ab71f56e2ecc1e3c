// SPDX-License-Identifier: Apache-2.0
#include "host_table.hpp"

#include <map>

#include "negotiate.hpp"
#include "text.hpp"

namespace hal::loader {

HostTable& HostTable::of(const FileIdentity& file) {
  static auto* const mutex = new std::mutex;
  static auto* const tables = new std::map<FileIdentity, std::unique_ptr<HostTable>>;
  const std::lock_guard lock(*mutex);
  std::unique_ptr<HostTable>& table = (*tables)[file];
  if (table == nullptr) table.reset(new HostTable);
  return *table;
}

HostTable::HostTable()
    : table_{sizeof(hal_host_t),
             HAL_ABI_VERSION,
             to_hal("libhal " MORTISE_VERSION),
             this,
             [](void*) { return hal_time_now(); },
             [](void* context, hal_log_level_t level, hal_string_t message) {
               static_cast<HostTable*>(context)->write(level, message);
             }} {}

void HostTable::set_name(const std::string& name) {
  const std::lock_guard lock(mutex_);
  name_ = name;
}

void HostTable::add_log(const std::shared_ptr<const Log>& log) {
  const std::lock_guard lock(mutex_);
  std::erase_if(logs_, [](const auto& old) { return old.expired(); });
  logs_.push_back(log);
}

void HostTable::write(hal_log_level_t level, hal_string_t message) noexcept try {
  std::vector<std::shared_ptr<const Log>> logs;
  std::string line;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& log : logs_) {
      if (std::shared_ptr<const Log> alive = log.lock()) logs.push_back(std::move(alive));
    }
    line = name_;
  }
  const Result<std::string> text = read_plugin_string(message, "log message", 4096);
  line += ": " + (text ? *text : text.error().message);
  for (const auto& log : logs) log->write(level, line);
} catch (const std::exception&) {
  return;  // short of memory: a message is lost, and the plugin's call goes on
}

}  // namespace hal::loader

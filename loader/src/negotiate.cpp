// SPDX-License-Identifier: Apache-2.0
#include "negotiate.hpp"

#include <algorithm>
#include <cstring>

#include "absent.hpp"
#include "filter.hpp"
#include "memory_check.hpp"
#include "slots.hpp"
#include "structs.hpp"
#include "text.hpp"
#include "utf8.hpp"

namespace hal::loader {
namespace {

constexpr uint32_t kMaxGroups = 256;
constexpr uint64_t kMaxText = 256;                  // bytes of name, version, vendor and build id
constexpr uint32_t kHeader = 2 * sizeof(uint32_t);  // struct_size and version of a table

Error garbage(const std::string& text) { return data_corrupt("the plugin's " + text); }

Result<void> check_versions(const hal_plugin_t& plugin, uint32_t sanitizer) {
  if (HAL_ABI_MAJOR_OF(plugin.abi_version) != HAL_ABI_MAJOR) {
    return Error{HAL_STATUS_INCOMPATIBLE, "the plugin speaks ABI " + abi_text(plugin.abi_version) +
                                              ", this host speaks " + abi_text(HAL_ABI_VERSION) +
                                              "; the major versions must be equal"};
  }
  if (plugin.sanitizer > HAL_SANITIZER_THREAD) {
    return garbage("sanitizer is " + std::to_string(plugin.sanitizer) + "; expected 0, 1 or 2");
  }
  if (plugin.sanitizer != HAL_SANITIZER_NONE && plugin.sanitizer != sanitizer) {
    static constexpr const char* kNames[] = {"no sanitizer", "AddressSanitizer", "ThreadSanitizer"};
    return Error{HAL_STATUS_INCOMPATIBLE, std::string("the plugin was built with ") + kNames[plugin.sanitizer] +
                                              ", this host with " + kNames[sanitizer] + "; build both the same way"};
  }
  return {};
}

Result<void> read_identity(const hal_plugin_t& plugin, Negotiated& result) {
  result.abi_version = plugin.abi_version;
  HAL_TRY_ASSIGN(result.name, read_plugin_string(plugin.name, "name", kMaxText));
  if (!is_plugin_name(result.name)) {
    return garbage("name is \"" + result.name + "\"; expected [a-z][a-z0-9-]*, at most 32 bytes");
  }
  HAL_TRY_ASSIGN(result.version, read_plugin_string(plugin.version, "version", kMaxText));
  HAL_TRY_ASSIGN(result.vendor, read_plugin_string(plugin.vendor, "vendor", kMaxText));
  HAL_TRY_ASSIGN(result.build_id, read_plugin_string(plugin.build_id, "build_id", kMaxText));
  return {};
}

// Copies one table over the functions for absent slots: as far as both know, and only what is not NULL.
Result<void> copy_group(const GroupInfo& info, const hal_group_t& group, Tables& tables) {
  const auto* table = static_cast<const char*>(group.table);
  uint32_t header[2];
  std::memcpy(header, table, sizeof header);
  const uint32_t size = header[0];
  const std::string what = std::string(info.name) + " table's struct_size is " + std::to_string(size);
  if (size < kHeader || size > kMaxStructSize || size % sizeof(void*) != 0) {
    return garbage(what + "; expected 8 plus 8 for each slot, " + std::to_string(info.size) + " in ABI 1.0");
  }
  if (!is_readable(table, size)) return garbage(what + ", but so many bytes cannot be read");
  char* const target = reinterpret_cast<char*>(&tables) + info.offset;
  std::memcpy(target + sizeof(uint32_t), &header[1], sizeof(uint32_t));
  for (uint32_t at = kHeader; at < std::min(size, info.size); at += sizeof(void*)) {
    const void* slot = nullptr;
    std::memcpy(&slot, table + at, sizeof slot);
    if (slot != nullptr) std::memcpy(target + at, &slot, sizeof slot);
  }
  return {};
}

Result<void> take_group(const hal_group_t& group, Negotiated& result) {
  const auto info = std::find_if(kGroups.begin(), kGroups.end(), [&](const GroupInfo& g) { return g.id == group.id; });
  if (info == kGroups.end()) return {};  // of a later minor version, or a vendor's own
  const uint64_t bit = UINT64_C(1) << info->id;
  if ((result.groups & bit) != 0) return garbage(std::string("group ") + info->name + " is listed twice");
  if (group.table == nullptr) return garbage(std::string("group ") + info->name + " has a NULL table");
  if (!is_array(static_cast<const uint64_t*>(group.table))) {
    return garbage(std::string("group ") + info->name + " has a table that is not aligned to 8 bytes or not readable");
  }
  HAL_TRY(copy_group(*info, group, result.tables));
  result.groups |= bit;
  return {};
}

Result<void> check_required(const Negotiated& result) {
  for (const GroupInfo& group : kGroups) {
    if (group.required && (result.groups & (UINT64_C(1) << group.id)) == 0) {
      return Error{HAL_STATUS_INCOMPATIBLE,
                   std::string("the plugin has no ") + group.name + " group, which is required"};
    }
  }
  for (const SlotInfo& slot : kSlots) {
    if (slot.needed_for == kRequired && is_absent(result.tables, slot.offset)) {
      return Error{HAL_STATUS_INCOMPATIBLE,
                   std::string("the required slot ") + slot.name + " is NULL or beyond its table's struct_size"};
    }
  }
  return {};
}

}  // namespace

std::string abi_text(uint32_t abi_version) {
  return std::to_string(HAL_ABI_MAJOR_OF(abi_version)) + "." + std::to_string(HAL_ABI_MINOR_OF(abi_version));
}

uint32_t own_sanitizer() {
#if defined(__SANITIZE_ADDRESS__)
  return HAL_SANITIZER_ADDRESS;
#elif defined(__SANITIZE_THREAD__)
  return HAL_SANITIZER_THREAD;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return HAL_SANITIZER_ADDRESS;
#elif __has_feature(thread_sanitizer)
  return HAL_SANITIZER_THREAD;
#else
  return HAL_SANITIZER_NONE;
#endif
#else
  return HAL_SANITIZER_NONE;
#endif
}

Result<std::string> read_plugin_string(hal_string_t text, const std::string& field, uint64_t limit) {
  if (text.length > limit) {
    return garbage(field + " has length " + std::to_string(text.length) + "; expected at most " +
                   std::to_string(limit));
  }
  if (text.length != 0 && text.data == nullptr) {
    return garbage(field + " is NULL with length " + std::to_string(text.length));
  }
  if (!is_readable(text.data, text.length)) {
    return garbage(field + " is not readable with length " + std::to_string(text.length));
  }
  std::string_view rest = to_view(text);
  while (!rest.empty()) {
    const size_t length = utf8_length(rest);
    if (length == 0)
      return garbage(field + " is not UTF-8 text (byte " + std::to_string(text.length - rest.size()) + ")");
    rest.remove_prefix(length);
  }
  return to_string(text);
}

Result<Negotiated> negotiate(const hal_plugin_t* given, uint32_t sanitizer) {
  if (given == nullptr) return garbage(std::string(HAL_PLUGIN_QUERY_NAME) + " returned success but no plugin");
  if (reinterpret_cast<uintptr_t>(given) % alignof(hal_plugin_t) != 0 || !is_readable(given, kFirstPluginSize)) {
    return garbage("hal_plugin_t is not aligned to 8 bytes or not readable");
  }
  if (given->struct_size < kFirstPluginSize || given->struct_size > kMaxStructSize) {
    return garbage("hal_plugin_t.struct_size is " + std::to_string(given->struct_size) + "; expected " +
                   std::to_string(kFirstPluginSize) + " or a little more");
  }
  const size_t size = std::min<size_t>(given->struct_size, sizeof(hal_plugin_t));
  if (!is_readable(given, size)) return garbage("hal_plugin_t is not readable");
  hal_plugin_t plugin{};  // a shorter one is of an earlier minor version
  std::memcpy(&plugin, given, size);
  HAL_TRY(check_versions(plugin, sanitizer));
  Negotiated result;
  HAL_TRY(read_identity(plugin, result));
  if (plugin.group_count > kMaxGroups) {
    return garbage("group_count is " + std::to_string(plugin.group_count) + "; expected at most 256");
  }
  if (plugin.group_count != 0 && !is_array(plugin.groups, plugin.group_count)) {
    return garbage("groups is NULL or not aligned to 8 bytes, or not readable");
  }
  result.tables = absent_tables();
  for (uint32_t i = 0; i < plugin.group_count; ++i) HAL_TRY(take_group(plugin.groups[i], result));
  HAL_TRY(check_required(result));
  return result;
}

}  // namespace hal::loader

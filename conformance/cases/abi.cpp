// SPDX-License-Identifier: Apache-2.0
//
// What a plugin is: one exported symbol, a truthful version, tables without holes, and a library that unloads.
#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "cases.hpp"
#include "raw_plugin.hpp"

namespace hal::conformance {
namespace {

constexpr char kPluginRules[] = "HAL-ABI-02, hal/plugin.h";

std::string text_of(hal_string_t text) {
  return text.length == 0 ? std::string() : std::string(text.data, text.length);
}

void version_is_not_an_echo(CaseContext& context) {
  RawPlugin raw(context);
  const uint32_t version = raw.query().abi_version;
  for (const uint32_t minor : {1u, 999u}) {
    hal_host_t host = raw_host();
    host.abi_version = HAL_ABI_MAKE(HAL_ABI_MAJOR, HAL_ABI_MINOR + minor);
    const hal_plugin_t* plugin = nullptr;
    expect_ok(raw.entry()(&host, &plugin), "hal_plugin_query of a host with a later minor version");
    expect_equal(plugin->abi_version, version, "abi_version must be the plugin's own and not the host's");
  }
  expect_equal(HAL_ABI_MAJOR_OF(version), HAL_ABI_MAJOR, "the major version of the ABI");
}

void old_host_is_refused(CaseContext& context) {
  RawPlugin raw(context);
  hal_host_t host = raw_host();
  host.abi_version = HAL_ABI_MAKE(0, 9);
  const hal_plugin_t* plugin = &raw.query();
  expect_code(raw.entry()(&host, &plugin), HAL_STATUS_INCOMPATIBLE, "hal_plugin_query of a host with ABI 0.9");
  expect(plugin == nullptr, "hal_plugin_query failed and left *out_plugin as it was; expected NULL");
}

void null_arguments(CaseContext& context) {
  RawPlugin raw(context);
  const hal_plugin_t* plugin = nullptr;
  expect_code(raw.entry()(nullptr, &plugin), HAL_STATUS_INVALID_ARGUMENT, "hal_plugin_query with host NULL");
  expect_code(raw.entry()(&raw_host(), nullptr), HAL_STATUS_INVALID_ARGUMENT, "hal_plugin_query with out_plugin NULL");
}

void query_twice(CaseContext& context) {
  RawPlugin raw(context);
  const hal_plugin_t& first = raw.query();
  const std::string build_id = text_of(first.build_id);
  const hal_plugin_t& second = raw.query();
  expect(text_of(second.build_id) == build_id && second.group_count == first.group_count,
         "hal_plugin_query gave two different answers in one process");
}

void identity(CaseContext& context) {
  RawPlugin raw(context);
  const hal_plugin_t& plugin = raw.query();
  const std::string name = text_of(plugin.name);
  const bool starts_well = !name.empty() && name.size() <= 32 && name[0] >= 'a' && name[0] <= 'z';
  expect(starts_well && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos,
         "the plugin's name '" + name + "' is not [a-z][a-z0-9-]* of at most 32 bytes");
  expect(plugin.version.length != 0, "the plugin has no version");
  expect(plugin.vendor.length != 0, "the plugin has no vendor");
  expect(plugin.build_id.length != 0, "the plugin has no build_id");
}

void groups_are_sound(CaseContext& context) {
  RawPlugin raw(context);
  const hal_plugin_t& plugin = raw.query();
  std::set<uint32_t> seen;
  for (uint32_t i = 0; i < plugin.group_count; i++) {
    const hal_group_t& group = plugin.groups[i];
    const std::string name = "group " + std::to_string(group.id);
    expect(seen.insert(group.id).second, name + " is listed twice");
    expect(group.reserved0 == 0, name + ": reserved0 is not zero");
    expect(group.table != nullptr, name + " has no table; leave the group out instead");
    uint32_t head[2];
    std::memcpy(head, group.table, sizeof head);
    expect(head[0] >= sizeof head && head[0] < 65536, name + ": struct_size is " + std::to_string(head[0]));
    expect(head[1] >= 1, name + ": version is 0; expected at least 1");
  }
  for (const uint32_t id : {HAL_GROUP_DEVICE, HAL_GROUP_MEMORY, HAL_GROUP_QUEUE}) {
    expect(seen.count(id) == 1, "group " + std::to_string(id) + " is required and absent");
  }
}

void require_slot(bool present, const char* name) {
  expect(present, std::string(name) + " is required and is NULL in the plugin's table");
}

void required_slots(CaseContext& context) {
  RawPlugin raw(context);
  const auto& device = *raw.group<hal_device_group_t>(HAL_GROUP_DEVICE);
  const auto& memory = *raw.group<hal_memory_group_t>(HAL_GROUP_MEMORY);
  const auto& queue = *raw.group<hal_queue_group_t>(HAL_GROUP_QUEUE);
#define HAL_CASE_SLOT(group, slot) require_slot(group.slot != nullptr, #group "." #slot)
  HAL_CASE_SLOT(device, initialize);
  HAL_CASE_SLOT(device, shutdown);
  HAL_CASE_SLOT(device, enumerate);
  HAL_CASE_SLOT(device, open);
  HAL_CASE_SLOT(device, close);
  HAL_CASE_SLOT(device, capabilities);
  HAL_CASE_SLOT(device, query_support);
  HAL_CASE_SLOT(device, state);
  HAL_CASE_SLOT(memory, heaps);
  HAL_CASE_SLOT(memory, heap_statistics);
  HAL_CASE_SLOT(memory, buffer_create);
  HAL_CASE_SLOT(memory, buffer_destroy);
  HAL_CASE_SLOT(memory, buffer_info);
  HAL_CASE_SLOT(memory, buffer_map);
  HAL_CASE_SLOT(memory, buffer_unmap);
  HAL_CASE_SLOT(queue, queue_create);
  HAL_CASE_SLOT(queue, queue_destroy);
  HAL_CASE_SLOT(queue, submit);
  HAL_CASE_SLOT(queue, semaphore_create);
  HAL_CASE_SLOT(queue, semaphore_destroy);
  HAL_CASE_SLOT(queue, semaphore_query);
  HAL_CASE_SLOT(queue, semaphore_signal);
  HAL_CASE_SLOT(queue, semaphore_fail);
  HAL_CASE_SLOT(queue, semaphore_wait);
}

void feature_slots(CaseContext& context) {
  RawPlugin raw(context);
  const uint64_t features = context.snapshot().features;
  if ((features & HAL_FEATURE_EXECUTABLES) != 0) {
    const auto* executable = raw.group<hal_executable_group_t>(HAL_GROUP_EXECUTABLE);
    require_slot(executable != nullptr, "the executable group");
    HAL_CASE_SLOT((*executable), can_load);
    HAL_CASE_SLOT((*executable), load);
    HAL_CASE_SLOT((*executable), destroy);
    HAL_CASE_SLOT((*executable), entries);
  }
  if ((features & HAL_FEATURE_COMMAND_BUFFERS) != 0) {
    const auto* buffer = raw.group<hal_command_buffer_group_t>(HAL_GROUP_COMMAND_BUFFER);
    require_slot(buffer != nullptr, "the command buffer group");
    HAL_CASE_SLOT((*buffer), create);
    HAL_CASE_SLOT((*buffer), destroy);
    HAL_CASE_SLOT((*buffer), record);
    HAL_CASE_SLOT((*buffer), barrier);
    HAL_CASE_SLOT((*buffer), finish);
  }
  const auto& memory = *raw.group<hal_memory_group_t>(HAL_GROUP_MEMORY);
  if ((features & HAL_FEATURE_DEVICE_ADDRESS) != 0) HAL_CASE_SLOT(memory, buffer_address);
  if ((features & HAL_FEATURE_IMPORT_HOST) != 0) HAL_CASE_SLOT(memory, buffer_import);
  if ((features & HAL_FEATURE_EXPORT_FD) != 0) HAL_CASE_SLOT(memory, buffer_export);
#undef HAL_CASE_SLOT
}

// Names of the dynamic symbols that a 64-bit ELF file defines for others.
std::vector<std::string> exported_symbols(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto read = [&](uint64_t offset, auto& out) {
    expect(offset <= bytes.size() && sizeof out <= bytes.size() - offset, path + " is not a whole ELF file");
    std::memcpy(&out, bytes.data() + offset, sizeof out);
  };
  Elf64_Ehdr header;
  read(0, header);
  std::vector<std::string> names;
  for (uint64_t i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr section, strings;
    read(header.e_shoff + i * header.e_shentsize, section);
    if (section.sh_type != SHT_DYNSYM) continue;
    read(header.e_shoff + section.sh_link * header.e_shentsize, strings);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      read(section.sh_offset + at, symbol);
      const bool is_defined = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;
      const bool is_visible =
          ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT;
      const uint64_t name = strings.sh_offset + symbol.st_name;
      if (is_defined && is_visible && name < bytes.size()) names.emplace_back(bytes.c_str() + name);
    }
  }
  return names;
}

void one_symbol(CaseContext& context) {
  for (const std::string& name : exported_symbols(context.snapshot().plugin_path)) {
    expect(name == HAL_PLUGIN_QUERY_NAME, "the library exports '" + name +
                                              "' beside " HAL_PLUGIN_QUERY_NAME
                                              "; hide it, or it may take the place of a host's symbol");
  }
}

void unloads_and_comes_back(CaseContext& context) {
  for (int i = 0; i < 20; i++) {
    RawPlugin raw(context);
    hal_instance_t* instance = raw.initialize();
    raw.shutdown(instance);
    raw.unload();
  }
}

}  // namespace

Cases abi_cases() {
  return {in_context("abi.version_is_not_an_echo", kPluginRules, version_is_not_an_echo),
          negative(in_context("abi.old_host_is_refused", kPluginRules, old_host_is_refused)),
          negative(in_context("abi.query_null_arguments", kPluginRules, null_arguments)),
          in_context("abi.query_twice", kPluginRules, query_twice),
          in_context("abi.identity", kPluginRules, identity),
          in_context("abi.groups", kPluginRules, groups_are_sound),
          in_context("abi.required_slots", "HAL-ABI-03", required_slots),
          in_context("abi.feature_slots", "HAL-ABI-03", feature_slots),
          in_context("abi.one_symbol", kPluginRules, one_symbol),
          stress(0.5, in_context("abi.unload_and_load_20", "HAL-ABI-19", unloads_and_comes_back))};
}

}  // namespace hal::conformance

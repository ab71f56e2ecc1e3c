// SPDX-License-Identifier: Apache-2.0
//
// Instances, enumeration, identity and capabilities.
#include <algorithm>
#include <cstring>
#include <set>

#include "cases.hpp"
#include "raw_plugin.hpp"

namespace hal::conformance {
namespace {

constexpr char kDeviceRules[] = "hal/device.h";

// One instance of the plugin, without the loader, with its device table.
struct Instance {
  explicit Instance(CaseContext& context)
      : raw(context), group(*raw.group<hal_device_group_t>(HAL_GROUP_DEVICE)), handle(raw.initialize()) {}
  RawPlugin raw;
  const hal_device_group_t& group;
  hal_instance_t* handle;

  std::vector<hal_device_info_t> devices() const {
    uint32_t count = 0;
    expect_ok(group.enumerate(handle, 0, &count, nullptr), "device.enumerate with capacity 0");
    expect(count != 0 && count < 65536, "the plugin lists " + std::to_string(count) + " devices");
    std::vector<hal_device_info_t> infos(count);
    for (auto& info : infos) info.struct_size = sizeof info;
    expect_ok(group.enumerate(handle, count, &count, infos.data()), "device.enumerate");
    expect_equal(count, infos.size(), "the number of devices, asked for twice");
    return infos;
  }
  hal_device_t* open(uint32_t index) const {
    hal_device_t* device = nullptr;
    expect_ok(group.open(handle, index, &device), "device.open of device " + std::to_string(index));
    expect(device != nullptr, "device.open succeeded and gave no device");
    return device;
  }
  void end() const { expect_ok(group.shutdown(handle), "device.shutdown"); }
};

std::string hex_of(const uint8_t (&uuid)[16]) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : uuid) text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

// Looks like UTF-8 text without control characters: names go into tables and logs.
bool is_text(hal_string_t text) {
  if (text.length == 0 || text.data == nullptr) return false;
  return std::all_of(text.data, text.data + text.length, [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
}

void infos_are_sound(CaseContext& context) {
  const Instance instance(context);
  std::set<std::string> uuids;
  for (const hal_device_info_t& info : instance.devices()) {
    expect(is_text(info.name), "a device's name is empty or has control characters");
    expect(is_text(info.vendor), "a device's vendor is empty or has control characters");
    expect(info.type <= HAL_DEVICE_TYPE_SIMULATOR || info.type >= HAL_VENDOR_BASE(1), "a device's type is unknown");
    const std::string uuid = hex_of(info.uuid);
    expect(uuid != std::string(32, '0'), "a device's UUID is zero");
    expect(uuids.insert(uuid).second, "two devices share the UUID " + uuid);
  }
  instance.end();
}

void enumerate_is_stable(CaseContext& context) {
  const Instance instance(context);
  const auto first = instance.devices(), second = instance.devices();
  for (size_t i = 0; i < first.size(); i++) {
    expect(hex_of(first[i].uuid) == hex_of(second[i].uuid), "the list of devices changed its order between two calls");
  }
  instance.end();
}

void uuid_survives(CaseContext& context) {
  std::string uuids[2];
  for (std::string& all : uuids) {
    const Instance instance(context);
    for (const auto& info : instance.devices()) all += hex_of(info.uuid) + " ";
    instance.group.close(instance.open(0));
    instance.end();
  }
  expect(uuids[0] == uuids[1], "UUIDs changed with a new instance: " + uuids[0] + "then " + uuids[1]);
  expect(uuids[0].find(context.snapshot().uuid) != std::string::npos,
         "the UUID " + context.snapshot().uuid + " of another process is not among " + uuids[0]);
}

void open_each(CaseContext& context) {
  const Instance instance(context);
  const auto count = static_cast<uint32_t>(instance.devices().size());
  for (uint32_t i = 0; i < count; i++) instance.group.close(instance.open(i));
  instance.end();
}

void open_out_of_range(CaseContext& context) {
  const Instance instance(context);
  const auto count = static_cast<uint32_t>(instance.devices().size());
  for (const uint32_t index : {count, count + 1, UINT32_MAX}) {
    auto* device = reinterpret_cast<hal_device_t*>(&context);
    expect_code(instance.group.open(instance.handle, index, &device), HAL_STATUS_OUT_OF_RANGE,
                "device.open of device " + std::to_string(index) + " of " + std::to_string(count));
    expect(device == nullptr, "device.open failed and did not zero *out_device");
  }
  expect_code(instance.group.open(instance.handle, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT,
              "device.open with out_device NULL");
  instance.end();
}

void open_twice(CaseContext& context) {
  const Instance instance(context);
  hal_device_t *first = instance.open(0), *second = instance.open(0);
  expect(first != second, "device.open gave one handle twice; closing one would end the other");
  instance.group.close(first);
  hal_device_state_t state = 99;
  expect_ok(instance.group.state(second, &state), "device.state of the handle that is left");
  expect_equal(state, HAL_DEVICE_STATE_READY, "the state of a device that works");
  instance.group.close(second);
  instance.end();
}

void shutdown_while_open(CaseContext& context) {
  const Instance instance(context);
  hal_device_t* device = instance.open(0);
  expect_code(instance.group.shutdown(instance.handle), HAL_STATUS_BUSY, "device.shutdown with a device open");
  hal_device_state_t state = 99;
  expect_ok(instance.group.state(device, &state), "device.state after a shutdown that was BUSY");
  instance.group.close(device);
  instance.end();
}

void two_instances(CaseContext& context) {
  const Instance first(context), second(context);
  expect(first.handle != second.handle, "two initialize calls gave one instance");
  hal_device_t* device = second.open(0);
  first.end();
  hal_device_state_t state = 99;
  expect_ok(second.group.state(device, &state), "device.state after another instance ended");
  second.group.close(device);
  second.end();
}

void initialize_null(CaseContext& context) {
  RawPlugin raw(context);
  const auto& group = *raw.group<hal_device_group_t>(HAL_GROUP_DEVICE);
  hal_instance_desc_t desc = HAL_INSTANCE_DESC_INIT;
  expect_code(group.initialize(&desc, nullptr), HAL_STATUS_INVALID_ARGUMENT,
              "device.initialize with out_instance NULL");
}

void unknown_key(CaseContext& context) {
  RawPlugin raw(context);
  const auto& group = *raw.group<hal_device_group_t>(HAL_GROUP_DEVICE);
  const hal_key_value_t item = {to_hal("no-plugin-has-this-key"), to_hal("1")};
  hal_instance_desc_t desc = HAL_INSTANCE_DESC_INIT;
  desc.config = &item;
  desc.config_count = 1;
  auto* instance = reinterpret_cast<hal_instance_t*>(&context);
  expect_code(group.initialize(&desc, &instance), HAL_STATUS_INVALID_ARGUMENT, "device.initialize with an unknown key");
  expect(instance == nullptr, "device.initialize failed and did not zero *out_instance");
}

void capabilities_are_sound(Rig& rig) {
  const hal_device_caps_t caps = capabilities_of(rig.device());
  expect(caps.core_count >= 1, "core_count is 0");
  expect((caps.emulated & ~caps.features) == 0, "emulated has bits that features has not");
  expect(caps.max_bindings >= 64, "max_bindings is " + std::to_string(caps.max_bindings) + "; the least is 64");
  expect(caps.max_constant_bytes >= 1024,
         "max_constant_bytes is " + std::to_string(caps.max_constant_bytes) + "; the least is 1024");
  expect(caps.max_queues >= 1, "max_queues is 0");
  expect(caps.max_buffer_size >= 1u << 20, "max_buffer_size is " + std::to_string(caps.max_buffer_size));
  for (int i = 0; i < 3; i++) {
    expect(caps.max_workgroup_count[i] >= 1 && caps.max_workgroup_size[i] >= 1, "a workgroup limit is 0");
  }
  expect(caps.timestamp_bits <= 64, "timestamp_bits is above 64");
  const bool has_executables = (caps.features & HAL_FEATURE_EXECUTABLES) != 0;
  expect(has_executables == (caps.format_count != 0), "formats and HAL_FEATURE_EXECUTABLES do not agree");
  for (uint32_t i = 0; i < caps.format_count; i++) expect(is_text(caps.formats[i]), "the name of a format is empty");
  expect(!has_executables || is_text(caps.target), "a device with executables has no target");
}

void capabilities_never_change(Rig& rig) {
  const auto again = rig.context().session().describe();
  expect(again.has_value(), "device.capabilities, asked for again");
  expect(again->capabilities == rig.context().snapshot().capabilities,
         "the capabilities differ from those of another process: " + again->capabilities + " and " +
             rig.context().snapshot().capabilities);
  const hal_device_caps_t first = capabilities_of(rig.device()), second = capabilities_of(rig.device());
  expect(std::memcmp(&first, &second, sizeof first) == 0, "two snapshots of one device differ");
}

void support_of_the_unknown(Rig& rig) {
  hal_support_query_t query = HAL_SUPPORT_QUERY_INIT;
  query.operator_name = to_hal("nobody.has_this@1");
  query.dtype = HAL_DTYPE_F32;
  hal_support_t support = 99;
  expect_ok(hal_device_query_support(rig.device(), &query, &support), "device.query_support of an unknown operator");
  expect_equal(support, HAL_SUPPORT_NONE, "support of an unknown operator");
}

void support_of_dtypes(Rig& rig) {
  for (uint32_t dtype = 1; dtype <= HAL_DTYPE_COUNT; dtype++) {
    hal_support_query_t query = HAL_SUPPORT_QUERY_INIT;
    query.dtype = dtype;
    hal_support_t first = 99, second = 98;
    expect_ok(hal_device_query_support(rig.device(), &query, &first),
              "device.query_support of dtype " + std::to_string(dtype));
    expect_ok(hal_device_query_support(rig.device(), &query, &second), "device.query_support, asked for again");
    expect(first <= HAL_SUPPORT_NATIVE, "support of dtype " + std::to_string(dtype) + " is " + std::to_string(first));
    expect_equal(second, first, "support of dtype " + std::to_string(dtype) + ", asked for twice");
  }
}

void null_outs(Rig& rig) {
  hal_support_query_t query = HAL_SUPPORT_QUERY_INIT;
  expect_code(hal_device_query_support(rig.device(), &query, nullptr), HAL_STATUS_INVALID_ARGUMENT,
              "device.query_support with out_support NULL");
  expect_code(hal_device_state(rig.device(), nullptr), HAL_STATUS_INVALID_ARGUMENT, "device.state with out_state NULL");
}

void state_is_ready(Rig& rig) {
  hal_device_state_t state = 99;
  expect_ok(hal_device_state(rig.device(), &state), "device.state");
  expect_equal(state, HAL_DEVICE_STATE_READY, "the state of a device that works");
}

void close_with_children(CaseContext& context) {
  hal_device_t* device = nullptr;
  hal_loader_t* loader = context.session().loader();
  const std::string name = context.snapshot().device;
  expect_ok(hal_loader_open(loader, to_hal(name), &device), "opening the device a second time");
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.size = 4096;
  hal_buffer_t* buffer = nullptr;
  expect_ok(hal_buffer_create(device, &desc, &buffer), "memory.buffer_create");
  hal_loader_close(loader, device);
  hal_buffer_info_t info{};
  info.struct_size = sizeof info;
  expect_ok(hal_buffer_info(buffer, &info), "memory.buffer_info after the device was closed; children pin it");
  expect_equal(info.size, 4096, "the size of a buffer whose device was closed");
  hal_buffer_destroy(buffer);
}

void wrong_kind_of_handle(Rig& rig) {
  const Buffer buffer = rig.buffer(64);
  const hal_calls_t* calls = hal_calls_of(buffer.get());
  uint64_t value = 7;
  auto* not_a_semaphore = reinterpret_cast<hal_semaphore_t*>(buffer.get());
  expect_code(calls->queue.semaphore_query(not_a_semaphore, &value), HAL_STATUS_INVALID_ARGUMENT,
              "queue.semaphore_query of a buffer");
  expect_code(calls->queue.semaphore_query(nullptr, &value), HAL_STATUS_INVALID_ARGUMENT,
              "queue.semaphore_query of NULL");
}

}  // namespace

Cases device_cases() {
  return {in_context("device.infos", "HAL-ABI-12", infos_are_sound),
          in_context("device.enumerate_is_stable", kDeviceRules, enumerate_is_stable),
          in_context("device.uuid_survives_reopen", "HAL-ABI-12", uuid_survives),
          in_context("device.open_each", kDeviceRules, open_each),
          negative(in_context("device.open_out_of_range", kDeviceRules, open_out_of_range)),
          in_context("device.open_twice", kDeviceRules, open_twice),
          negative(in_context("device.shutdown_while_open", "HAL-ABI-19", shutdown_while_open)),
          in_context("device.two_instances", "HAL-ABI-19", two_instances),
          negative(in_context("device.initialize_null", kDeviceRules, initialize_null)),
          negative(in_context("device.initialize_unknown_key", kDeviceRules, unknown_key)),
          with_rig("device.capabilities", "HAL-ABI-11", capabilities_are_sound),
          with_rig("device.capabilities_never_change", "HAL-ABI-11", capabilities_never_change),
          with_rig("device.support_unknown_operator", "HAL-ABI-11", support_of_the_unknown),
          with_rig("device.support_dtypes", "HAL-ABI-11", support_of_dtypes),
          negative(with_rig("device.null_outs", kDeviceRules, null_outs)),
          with_rig("device.state_ready", "HAL-ABI-20", state_is_ready),
          in_context("device.close_with_children", "HAL-ABI-19", close_with_children),
          negative(with_rig("device.wrong_kind_of_handle", "HAL-ABI-07", wrong_kind_of_handle))};
}

}  // namespace hal::conformance

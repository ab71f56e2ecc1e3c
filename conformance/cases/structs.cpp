// SPDX-License-Identifier: Apache-2.0
//
// The ABI's rules for structs, held against every slot that takes one: zero tail, chains, sizes, and lists that are
// counted and then filled. One table of slots times one table of rules.
#include <cstring>

#include "cases.hpp"
#include "own_instance.hpp"

namespace hal::conformance {
namespace {

constexpr uint32_t kTail = 16;  // bytes that a later version of a struct might have

// ---- in-structs ----

// A struct with room behind it, as a caller built against later headers would have it.
template <typename Desc>
struct Long {
  Desc desc;
  uint8_t tail[kTail];
};

// One slot that takes an in-struct: makes a call with `desc` and gives its status; what it made is destroyed.
template <typename Desc>
using InCall = std::function<hal_status_t*(Rig&, const Desc*)>;

template <typename Handle, typename Desc, typename Create, typename Destroy>
hal_status_t* create_and_destroy(const Desc* desc, Create create, Destroy destroy) {
  Handle* handle = nullptr;
  hal_status_t* status = create(desc, &handle);
  if (status == nullptr) destroy(handle);
  return status;
}

hal_status_t* create_buffer(Rig& rig, const hal_buffer_desc_t* desc) {
  return create_and_destroy<hal_buffer_t>(
      desc,
      [&](auto* in, auto** out) { return hal_calls_of(rig.device())->memory->buffer_create(rig.device(), in, out); },
      hal_calls_of(rig.device())->memory->buffer_destroy);
}

hal_status_t* create_queue(Rig& rig, const hal_queue_desc_t* desc) {
  return create_and_destroy<hal_queue_t>(
      desc,
      [&](auto* in, auto** out) { return hal_calls_of(rig.device())->queue->queue_create(rig.device(), in, out); },
      hal_calls_of(rig.device())->queue->queue_destroy);
}

hal_status_t* initialize(Rig& rig, const hal_instance_desc_t* desc) {
  const hal_device_group_t& group = *hal_calls_of(rig.device())->device;
  hal_instance_t* instance = nullptr;
  hal_status_t* status = group.initialize(desc, &instance);
  if (status == nullptr) expect_ok(group.shutdown(instance), "device.shutdown of a new instance");
  return status;
}

hal_status_t* submit(Rig& rig, const hal_submission_t* submission) { return hal_queue_submit(rig.queue(), submission); }

hal_status_t* query_support(Rig& rig, const hal_support_query_t* query) {
  hal_support_t support = 0;
  return hal_device_query_support(rig.device(), query, &support);
}

template <typename Desc>
void tail_of_zeros(Rig& rig, const Desc& init, const InCall<Desc>& call, const std::string& slot) {
  Long<Desc> desc{init, {}};
  desc.desc.struct_size = sizeof(Desc) + kTail;
  expect_ok(call(rig, &desc.desc), slot + " with a longer struct whose tail is zero");
}

template <typename Desc>
void tail_with_a_byte(Rig& rig, const Desc& init, const InCall<Desc>& call, const std::string& slot) {
  for (const uint32_t at : {0u, kTail - 1}) {
    Long<Desc> desc{init, {}};
    desc.desc.struct_size = sizeof(Desc) + kTail;
    desc.tail[at] = 1;
    expect_code(call(rig, &desc.desc), HAL_STATUS_UNSUPPORTED,
                slot + " with a longer struct and a byte at tail offset " + std::to_string(at));
  }
}

template <typename Desc>
void null_struct(Rig& rig, const Desc&, const InCall<Desc>& call, const std::string& slot) {
  expect_code(call(rig, nullptr), HAL_STATUS_INVALID_ARGUMENT, slot + " with NULL for the struct");
}

template <typename Desc>
void size_zero(Rig& rig, const Desc& init, const InCall<Desc>& call, const std::string& slot) {
  Desc desc = init;
  desc.struct_size = 0;
  expect_code(call(rig, &desc), HAL_STATUS_INVALID_ARGUMENT, slot + " with struct_size 0");
}

template <typename Desc>
void chain_unknown(Rig& rig, const Desc& init, const InCall<Desc>& call, const std::string& slot) {
  const hal_chain_t second = {sizeof(hal_chain_t), 0xFFFE0002u, 0, nullptr};
  const hal_chain_t first = {sizeof(hal_chain_t), 0xFFFE0001u, 0, &second};
  Desc desc = init;
  desc.next = &first;
  expect_ok(call(rig, &desc), slot + " with a chain of unknown nodes; they are skipped");
}

template <typename Desc>
void chain_required(Rig& rig, const Desc& init, const InCall<Desc>& call, const std::string& slot) {
  const hal_chain_t second = {sizeof(hal_chain_t), 0xFFFE0002u, HAL_CHAIN_REQUIRED, nullptr};
  const hal_chain_t first = {sizeof(hal_chain_t), 0xFFFE0001u, 0, &second};
  Desc desc = init;
  desc.next = &first;
  expect_code(call(rig, &desc), HAL_STATUS_UNSUPPORTED, slot + " with an unknown node that is required");
}

template <typename Desc>
void chain_cycle(Rig& rig, const Desc& init, const InCall<Desc>& call, const std::string& slot) {
  hal_chain_t node = {sizeof(hal_chain_t), 0xFFFE0001u, 0, nullptr};
  node.next = &node;
  Desc desc = init;
  desc.next = &node;
  expect_code(call(rig, &desc), HAL_STATUS_INVALID_ARGUMENT, slot + " with a chain that is a cycle");
}

template <typename Desc>
struct InRule {
  const char* name;
  const char* clause;
  bool is_negative;
  void (*check)(Rig&, const Desc&, const InCall<Desc>&, const std::string&);
};

// Every rule against one slot. `slot` is "memory.buffer_create".
template <typename Desc>
void add_in_struct(Cases& cases, const std::string& slot, Desc init, InCall<Desc> call) {
  constexpr InRule<Desc> rules[] = {{"tail_of_zeros", "HAL-ABI-04", false, tail_of_zeros<Desc>},
                                    {"tail_with_a_byte", "HAL-ABI-04", true, tail_with_a_byte<Desc>},
                                    {"null_struct", "HAL-ABI-04", true, null_struct<Desc>},
                                    {"size_zero", "HAL-ABI-04", true, size_zero<Desc>},
                                    {"chain_unknown", "HAL-ABI-05", false, chain_unknown<Desc>},
                                    {"chain_required", "HAL-ABI-05", true, chain_required<Desc>},
                                    {"chain_cycle", "HAL-ABI-05", true, chain_cycle<Desc>}};
  for (const auto& rule : rules) {
    Case item = with_rig("struct." + slot + "." + rule.name, rule.clause,
                         [=, check = rule.check](Rig& rig) { check(rig, init, call, slot); });
    cases.push_back(rule.is_negative ? negative(std::move(item)) : std::move(item));
  }
}

// ---- out-structs ----

template <typename Out>
using OutCall = std::function<hal_status_t*(Rig&, Out*)>;

template <typename Out>
void longer_out(Rig& rig, const OutCall<Out>& call, const std::string& slot) {
  struct {
    Out out;
    uint8_t tail[64];
  } longer;
  std::memset(&longer, 0x5C, sizeof longer);
  longer.out.struct_size = sizeof longer;
  expect_ok(call(rig, &longer.out), slot + " with a longer out-struct");
  expect_equal(longer.out.struct_size, sizeof longer, slot + ": struct_size is the caller's");
  for (const uint8_t byte : longer.tail) expect(byte == 0x5C, slot + " wrote past the struct that it knows");
}

template <typename Out>
void shorter_out(Rig& rig, const OutCall<Out>& call, const std::string& slot) {
  constexpr uint32_t size = 8;
  alignas(Out) std::byte memory[sizeof(Out)];
  std::memset(memory, 0x5C, sizeof memory);
  std::memcpy(memory, &size, sizeof size);
  expect_ok(call(rig, reinterpret_cast<Out*>(memory)), slot + " with an out-struct of 8 bytes");
  for (size_t i = size; i < sizeof memory; i++) {
    expect(memory[i] == std::byte{0x5C}, slot + " wrote byte " + std::to_string(i) + " of an out-struct of 8 bytes");
  }
}

template <typename Out>
void null_out(Rig& rig, const OutCall<Out>& call, const std::string& slot) {
  expect_code(call(rig, nullptr), HAL_STATUS_INVALID_ARGUMENT, slot + " with NULL for the out-struct");
}

template <typename Out>
void zero_out(Rig& rig, const OutCall<Out>& call, const std::string& slot) {
  Out out{};
  expect_code(call(rig, &out), HAL_STATUS_INVALID_ARGUMENT, slot + " with struct_size 0");
}

template <typename Out>
void add_out_struct(Cases& cases, const std::string& slot, OutCall<Out> call) {
  const auto add = [&](const char* name, auto check) {
    cases.push_back(with_rig("struct." + slot + "." + name, "HAL-ABI-04", [=](Rig& rig) { check(rig, call, slot); }));
  };
  add("longer_out", longer_out<Out>);
  add("shorter_out", shorter_out<Out>);
  add("null_out", null_out<Out>);
  cases.back().tags.push_back("negative");
  add("zero_out", zero_out<Out>);
  cases.back().tags.push_back("negative");
}

// ---- count-then-fill ----

template <typename Item>
using ListCall = std::function<hal_status_t*(Rig&, uint32_t, uint32_t*, Item*)>;

template <typename Item>
void set_size(Item& item, uint32_t size) {
  if constexpr (requires { item.struct_size; }) item.struct_size = size;
}

// Asks with a capacity, over an array that is poisoned from there on.
template <typename Item>
void ask(Rig& rig, const ListCall<Item>& call, const std::string& slot, uint32_t capacity, uint32_t count) {
  std::vector<Item> items(count + 4);
  std::memset(static_cast<void*>(items.data()), 0x5C, items.size() * sizeof(Item));
  for (uint32_t i = 0; i < capacity; i++) set_size(items[i], sizeof(Item));
  std::vector<Item> before = items;
  uint32_t got = 12345;
  const std::string what = slot + " with capacity " + std::to_string(capacity) + " of " + std::to_string(count);
  expect_ok(call(rig, capacity, &got, capacity == 0 ? nullptr : items.data()), what);
  expect_equal(got, count, what + ": *out_count is the total");
  const uint32_t filled = std::min(capacity, count);
  expect(std::memcmp(&items[filled], &before[filled], (items.size() - filled) * sizeof(Item)) == 0,
         what + " wrote past the items that fit");
  for (uint32_t i = 0; i < filled; i++) {
    expect(std::memcmp(&items[i], &before[i], sizeof(Item)) != 0,
           what + " left item " + std::to_string(i) + " as it was");
  }
}

template <typename Item>
void every_capacity(Rig& rig, const ListCall<Item>& call, const std::string& slot) {
  uint32_t count = 12345;
  expect_ok(call(rig, 0, &count, nullptr), slot + " with capacity 0");
  expect(count < 65536, slot + " counts " + std::to_string(count));
  for (const uint32_t capacity : {0u, count == 0 ? 0 : count - 1, count, count + 1})
    ask<Item>(rig, call, slot, capacity, count);
}

template <typename Item>
void null_count(Rig& rig, const ListCall<Item>& call, const std::string& slot) {
  expect_code(call(rig, 0, nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT, slot + " with out_count NULL");
}

template <typename Item>
void null_items(Rig& rig, const ListCall<Item>& call, const std::string& slot) {
  uint32_t count = 0;
  expect_ok(call(rig, 0, &count, nullptr), slot + " with capacity 0");
  if (count == 0) return;
  expect_code(call(rig, count, &count, nullptr), HAL_STATUS_INVALID_ARGUMENT, slot + " with a capacity and no array");
}

template <typename Item>
void add_list(Cases& cases, const std::string& slot, ListCall<Item> call) {
  const std::string name = "struct." + slot;
  cases.push_back(
      with_rig(name + ".every_capacity", "HAL-ABI-04", [=](Rig& rig) { every_capacity<Item>(rig, call, slot); }));
  cases.push_back(
      negative(with_rig(name + ".null_count", "HAL-ABI-04", [=](Rig& rig) { null_count<Item>(rig, call, slot); })));
  cases.push_back(
      negative(with_rig(name + ".null_items", "HAL-ABI-04", [=](Rig& rig) { null_items<Item>(rig, call, slot); })));
}

// Runs `use` with an instance of the device's plugin.
hal_status_t* with_instance(Rig& rig,
                            const std::function<hal_status_t*(const hal_device_group_t&, hal_instance_t*)>& use) {
  OwnInstance instance(rig);
  hal_status_t* status = use(instance.group(), instance.get());
  instance.shutdown();
  return status;
}

void add_lists(Cases& cases) {
  add_list<hal_device_info_t>(cases, "device.enumerate", [](Rig& rig, uint32_t capacity, uint32_t* count, auto* items) {
    return with_instance(
        rig, [&](const auto& group, auto* instance) { return group.enumerate(instance, capacity, count, items); });
  });
  add_list<hal_heap_info_t>(cases, "memory.heaps", [](Rig& rig, uint32_t capacity, uint32_t* count, auto* items) {
    return hal_device_heaps(rig.device(), capacity, count, items);
  });
}

// config_keys may be absent: then the loader's table answers UNSUPPORTED, and that is all there is to see.
void config_keys(Rig& rig) {
  const auto& group = *hal_calls_of(rig.device())->device;
  uint32_t count = 0;
  hal_status_t* status = group.config_keys(0, &count, nullptr);
  if (hal_status_code(status) == HAL_STATUS_UNSUPPORTED) return hal_status_release(status);
  expect_ok(status, "device.config_keys with capacity 0");
  const ListCall<hal_config_key_t> call = [&](Rig&, uint32_t capacity, uint32_t* out_count, hal_config_key_t* keys) {
    return group.config_keys(capacity, out_count, keys);
  };
  every_capacity<hal_config_key_t>(rig, call, "device.config_keys");
}

hal_status_t* statistics_of_heap_0(Rig& rig, hal_heap_statistics_t* out) {
  return hal_heap_statistics(rig.device(), 0, out);
}

hal_status_t* info_of_a_buffer(Rig& rig, hal_buffer_info_t* out) {
  const Buffer buffer = rig.buffer(64);
  return hal_buffer_info(buffer.get(), out);
}

}  // namespace

Cases struct_cases() {
  Cases cases;
  hal_buffer_desc_t buffer = HAL_BUFFER_DESC_INIT;
  buffer.size = 256;
  add_in_struct<hal_instance_desc_t>(cases, "device.initialize", HAL_INSTANCE_DESC_INIT, initialize);
  add_in_struct<hal_support_query_t>(cases, "device.query_support", HAL_SUPPORT_QUERY_INIT, query_support);
  add_in_struct<hal_buffer_desc_t>(cases, "memory.buffer_create", buffer, create_buffer);
  add_in_struct<hal_queue_desc_t>(cases, "queue.queue_create", HAL_QUEUE_DESC_INIT, create_queue);
  add_in_struct<hal_submission_t>(cases, "queue.submit", HAL_SUBMISSION_INIT, submit);
  add_out_struct<hal_device_caps_t>(cases, "device.capabilities",
                                    [](Rig& rig, auto* out) { return hal_device_capabilities(rig.device(), out); });
  add_out_struct<hal_heap_statistics_t>(cases, "memory.heap_statistics", statistics_of_heap_0);
  add_out_struct<hal_buffer_info_t>(cases, "memory.buffer_info", info_of_a_buffer);
  add_lists(cases);
  cases.push_back(with_rig("struct.device.config_keys.every_capacity", "HAL-ABI-04", config_keys));
  return cases;
}

}  // namespace hal::conformance

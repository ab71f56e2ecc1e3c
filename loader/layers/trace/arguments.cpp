// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <cstdio>

#include "text.hpp"

namespace hal::layers::trace {
namespace {

constexpr uint64_t kMaxExact = UINT64_C(1) << 53;
constexpr uint64_t kMaxText = 256;
constexpr uint32_t kMaxItems = 64;  // of one array in one event

template <typename T, typename Show>
Json list(const T* items, uint32_t count, Show&& show) {
  Json result = Json::array();
  if (items == nullptr) return result;
  for (uint32_t i = 0; i < std::min(count, kMaxItems); ++i) result.push_back(show(items[i]));
  if (count > kMaxItems) result.push_back("and " + std::to_string(count - kMaxItems) + " more");
  return result;
}

Json describe_range(const hal_buffer_range_t& range) {
  Json result;
  if (range.buffer != nullptr) {
    result["buffer"] = address(range.buffer);
  } else {
    result["slot"] = range.slot;
  }
  result["offset"] = number(range.offset);
  result["length"] = range.length == HAL_WHOLE_BUFFER ? Json("whole") : number(range.length);
  return result;
}

template <typename T>
const T& as(const hal_work_t& work) {
  return reinterpret_cast<const T&>(work);
}

void add_work(Json& result, const hal_work_t& work) {
  switch (work.type) {
    case HAL_WORK_COPY:
      result["source"] = describe_range(as<hal_work_copy_t>(work).source);
      result["target"] = describe_range(as<hal_work_copy_t>(work).target);
      return;
    case HAL_WORK_FILL:
      result["target"] = describe_range(as<hal_work_fill_t>(work).target);
      result["pattern"] = number(as<hal_work_fill_t>(work).pattern);
      return;
    case HAL_WORK_UPDATE:
      result["target"] = describe_range(as<hal_work_update_t>(work).target);
      return;
    case HAL_WORK_DISPATCH: {
      const auto& dispatch = as<hal_work_dispatch_t>(work);
      result["executable"] = address(dispatch.executable);
      result["entry"] = dispatch.entry;
      result["workgroup_count"] = {dispatch.workgroup_count[0], dispatch.workgroup_count[1],
                                   dispatch.workgroup_count[2]};
      result["bindings"] = list(dispatch.bindings, dispatch.binding_count, describe_range);
      return;
    }
    case HAL_WORK_COMMAND_BUFFER: {
      const auto& run = as<hal_work_command_buffer_t>(work);
      result["command_buffer"] = address(run.command_buffer);
      result["bindings"] = list(run.bindings, run.binding_count, describe_range);
      return;
    }
    case HAL_WORK_ALLOC:
    case HAL_WORK_FREE:
      result["buffer"] = address(as<hal_work_alloc_t>(work).buffer);
      return;
    case HAL_WORK_COLLECTIVE:
      result["communicator"] = address(as<hal_work_collective_t>(work).communicator);
      result["operation"] = as<hal_work_collective_t>(work).operation;
      return;
    default:
      return;
  }
}

}  // namespace

Json address(const void* pointer) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(pointer)));
  return text;
}

Json number(uint64_t value) { return value > kMaxExact ? Json(std::to_string(value)) : Json(value); }

Json words(hal_string_t text) { return std::string(loader::to_view(text).substr(0, kMaxText)); }

std::string_view work_name(hal_work_type_t type) {
  static constexpr std::string_view kNames[] = {"none",           "copy",      "fill",  "update", "dispatch",
                                                "command buffer", "host call", "alloc", "free",   "collective"};
  return type < std::size(kNames) ? kNames[type] : "unknown";
}

Json describe(const hal_buffer_desc_t& desc) {
  return {{"heap", desc.heap},
          {"size", number(desc.size)},
          {"alignment", number(desc.alignment)},
          {"flags", number(desc.flags)},
          {"label", words(desc.label)}};
}

Json describe(const hal_queue_desc_t& desc) {
  return {{"priority", desc.priority}, {"kind", number(desc.kind)}, {"label", words(desc.label)}};
}

Json describe(const hal_executable_desc_t& desc) {
  return {{"format", words(desc.format)},
          {"target", words(desc.target)},
          {"bytes", number(desc.bytes.length)},
          {"label", words(desc.label)}};
}

Json describe(const hal_command_buffer_desc_t& desc) {
  return {{"binding_slots", desc.binding_slots}, {"flags", number(desc.flags)}, {"label", words(desc.label)}};
}

Json describe(const hal_support_query_t& query) {
  return {{"operator", words(query.operator_name)},
          {"dtype", query.dtype},
          {"accumulator", query.accumulator},
          {"layout", query.layout}};
}

Json describe(const hal_external_memory_t& memory) {
  return {{"type", memory.type}, {"offset", number(memory.offset)}, {"size", number(memory.size)}};
}

Json describe(const hal_communicator_desc_t& desc) { return {{"rank", desc.rank}, {"rank_count", desc.rank_count}}; }

Json describe(const hal_collective_query_t& query) {
  return {{"operation", query.operation}, {"dtype", query.dtype}, {"reduction", query.reduction}};
}

Json describe(const hal_profiler_desc_t& desc) { return {{"counter_count", desc.counter_count}}; }

Json describe(const hal_instance_desc_t& desc) {
  Json config = Json::object();
  for (uint32_t i = 0; i < std::min(desc.config_count, kMaxItems); ++i) {
    config[loader::to_string(desc.config[i].key)] = words(desc.config[i].value);
  }
  return {{"config", config}};
}

Json describe(const hal_semaphore_value_t& value) {
  return {{"semaphore", address(value.semaphore)}, {"value", number(value.value)}};
}

Json describe(const hal_work_t& work) {
  Json result = {{"type", work_name(work.type)}};
  if (work.label.length != 0) result["label"] = words(work.label);
  add_work(result, work);
  return result;
}

Json describe(const hal_submission_t& submission) {
  const auto value = [](const hal_semaphore_value_t& item) { return describe(item); };
  const auto item = [](const hal_work_t* work) { return work == nullptr ? Json() : describe(*work); };
  return {{"label", words(submission.label)},
          {"waits", list(submission.waits, submission.wait_count, value)},
          {"work", list(submission.work, submission.work_count, item)},
          {"signals", list(submission.signals, submission.signal_count, value)}};
}

Json describe(const hal_status_t& status) {
  Json result = {{"code", hal_status_code_name(status.code)}, {"message", words(status.message)}};
  if (status.cause != nullptr) result["cause"] = words(status.cause->message);
  return result;
}

Json describe(const hal_buffer_info_t& info) { return {{"heap", info.heap}, {"size", number(info.size)}}; }

Json describe(const hal_heap_statistics_t& statistics) {
  return {{"live_bytes", number(statistics.live_bytes)},
          {"peak_bytes", number(statistics.peak_bytes)},
          {"live_buffers", number(statistics.live_buffers)},
          {"total_allocations", number(statistics.total_allocations)}};
}

}  // namespace hal::layers::trace

// SPDX-License-Identifier: Apache-2.0
#include "layered_calls.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "absent.hpp"
#include "hal/loader.h"
#include "layer_library.hpp"
#include "status.hpp"

namespace hal::loader {
namespace {

Tables copy_of(const hal_calls_t* calls) {
  Tables tables;
#define HAL_LOADER_COPY_(ID, member, type, required) tables.member = *calls->member;
  HAL_LOADER_GROUPS(HAL_LOADER_COPY_)
#undef HAL_LOADER_COPY_
  return tables;
}

// A layer that leaves a NULL behind would crash a caller who is promised that there is none.
Result<void> check_slots(const Tables& tables) {
  for (const SlotInfo& slot : kSlots) {
    const void* function = nullptr;
    std::memcpy(&function, reinterpret_cast<const char*>(&tables) + slot.offset, sizeof function);
    if (function == nullptr) return data_corrupt(std::string("attach set the slot ") + slot.name + " to NULL");
  }
  return {};
}

}  // namespace

LayeredCalls::LayeredCalls(std::string plugin, std::shared_ptr<const Log> log)
    : plugin_(std::move(plugin)), log_(std::move(log)) {
  host_ = {sizeof(hal_host_t),
           HAL_ABI_VERSION,
           to_hal("libhal " MORTISE_VERSION),
           this,
           [](void*) { return hal_time_now(); },
           [](void* context, hal_log_level_t level, hal_string_t message) {
             static_cast<LayeredCalls*>(context)->log_->write(level, to_string(message));
           }};
}

bool LayeredCalls::attach(const ActiveLayer& active, const hal_calls_t* next) {
  auto level = std::make_unique<Level>();
  level->library = active.library;
  level->tables = copy_of(next);
  const Config& config = active.report->config;
  std::vector<hal_key_value_t> values;
  for (const auto& [key, value] : config) values.push_back({to_hal(key), to_hal(value)});
  const hal_layer_desc_t desc = {
      sizeof desc, static_cast<uint32_t>(values.size()), values.data(), to_hal(plugin_), &host_, next, nullptr};
  const hal_layer_t& layer = active.library->layer();
#define HAL_LOADER_ADDRESS_(ID, member, type, required) &level->tables.member,
  hal_layer_tables_t tables = {HAL_LOADER_GROUPS(HAL_LOADER_ADDRESS_)};
#undef HAL_LOADER_ADDRESS_
  Result<void> attached = call_plugin("attach", [&] { return layer.attach(&desc, &tables, &level->state); });
  if (attached) {
    attached = check_slots(level->tables);
    if (!attached) layer.detach(level->state);
  }
  if (!attached) {
    if (active.report->reason.empty())
      active.report->reason = "not over plugin " + plugin_ + ": " + attached.error().message;
    return false;
  }
  level->calls = calls_into(level->tables);
  ++active.report->attached;
  levels_.push_back(std::move(level));
  return true;
}

void LayeredCalls::finish(const hal_calls_t* own) {
  std::reverse(levels_.begin(), levels_.end());
  for (size_t i = 0; i < levels_.size(); ++i) {
    const hal_calls_t* const next = i + 1 < levels_.size() ? &levels_[i + 1]->calls : own;
    links_.push_back({&levels_[i]->library->layer(), next, levels_[i]->state});
  }
  stack_ = {sizeof(hal_layer_stack_t), static_cast<uint32_t>(links_.size()), links_.data()};
  layered_ = {&stack_, levels_[0]->calls};
  register_calls(calls(), plugin_);
}

std::unique_ptr<LayeredCalls> LayeredCalls::make(const std::vector<ActiveLayer>& layers, const hal_calls_t* own,
                                                 const std::string& plugin, std::shared_ptr<const Log> log) {
  std::unique_ptr<LayeredCalls> result(new LayeredCalls(plugin, std::move(log)));
  const hal_calls_t* next = own;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    if (result->attach(*layer, next)) next = &result->levels_.back()->calls;
  }
  if (result->levels_.empty()) return nullptr;
  result->finish(own);
  return result;
}

LayeredCalls::~LayeredCalls() {
  if (!levels_.empty()) unregister_calls(calls());
  for (const auto& level : levels_) level->library->layer().detach(level->state);
}

hal_layer_stack_node_t LayeredCalls::node() const {
  return {{sizeof(hal_layer_stack_node_t), HAL_CHAIN_LAYER_STACK, 0, nullptr}, &stack_};
}

void LayeredCalls::keep(std::unique_ptr<LayeredCalls> calls) {
  // Never destroyed, and reachable, so that it is no leak.
  static auto* const kept = new std::vector<std::unique_ptr<LayeredCalls>>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(calls));
}

}  // namespace hal::loader

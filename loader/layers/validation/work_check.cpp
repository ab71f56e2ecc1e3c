// SPDX-License-Identifier: Apache-2.0
#include "work_check.hpp"

#include <cstring>

namespace hal::layers::validation {
namespace {

constexpr uint32_t kMaxStruct = 64 * 1024;

Error invalid(Rule rule, const std::string& argument, const std::string& what) {
  return violation(HAL_STATUS_INVALID_ARGUMENT, rule, argument, what);
}
Error out_of_range(Rule rule, const std::string& argument, const std::string& what) {
  return violation(HAL_STATUS_OUT_OF_RANGE, rule, argument, what);
}
std::string text(uint64_t value) { return std::to_string(value); }

// Checks ranges of one item, and notes what it touches.
class Ranges {
 public:
  Ranges(const WorkContext& context, Effects& effects) : context_(context), effects_(effects) {}

  // The length in bytes; HAL_WHOLE_BUFFER where a slot is bound later.
  Result<uint64_t> add(const hal_buffer_range_t& range, bool writes, const std::string& argument) {
    if (range.buffer == nullptr && context_.recording != nullptr) return add_slot(range, writes, argument);
    HAL_TRY_ASSIGN(const ObjectPtr buffer,
                   context_.registry.find(range.buffer, HAL_OBJECT_BUFFER, argument + ".buffer"));
    if (buffer->device != context_.device.handle) {
      return invalid(Rule::kHandle, argument + ".buffer", "is of another device; copy it to one of this device");
    }
    HAL_TRY_ASSIGN(const uint64_t length, check_range(buffer->size, range.offset, range.length, argument));
    effects_.accesses.push_back({buffer, 0, range.offset, length, writes});
    return length;
  }

 private:
  Result<uint64_t> add_slot(const hal_buffer_range_t& range, bool writes, const std::string& argument) {
    if (range.slot >= context_.recording->binding_slots) {
      return out_of_range(Rule::kCommandBuffer, argument + ".slot",
                          text(range.slot) + " of a command buffer with " + text(context_.recording->binding_slots) +
                              " binding slots; make it with more");
    }
    effects_.accesses.push_back({nullptr, range.slot, range.offset, range.length, writes});
    return range.length;
  }

  const WorkContext& context_;
  Effects& effects_;
};

Result<void> check_copy(const WorkContext& context, const hal_work_copy_t& copy, const std::string& argument,
                        Effects& effects) {
  Ranges ranges(context, effects);
  HAL_TRY_ASSIGN(const uint64_t from, ranges.add(copy.source, false, argument + ".source"));
  HAL_TRY_ASSIGN(const uint64_t to, ranges.add(copy.target, true, argument + ".target"));
  if (from == HAL_WHOLE_BUFFER || to == HAL_WHOLE_BUFFER) return {};
  if (from != to) {
    return invalid(Rule::kMemory, argument,
                   "the source has " + text(from) + " bytes and the target " + text(to) + "; make them equal");
  }
  if (copy.rows > 1) {  // rows and pitches are the plugin's to check; what they reach is not tracked
    effects.accesses.resize(effects.accesses.size() - 2);
    return {};
  }
  const bool meets = copy.source.buffer == copy.target.buffer && copy.source.buffer != nullptr &&
                     copy.source.offset < copy.target.offset + to && copy.target.offset < copy.source.offset + from;
  if (meets) return invalid(Rule::kMemory, argument, "source and target share bytes; copy through a third buffer");
  return {};
}

Result<void> check_fill(const WorkContext& context, const hal_work_fill_t& fill, const std::string& argument,
                        Effects& effects) {
  Ranges ranges(context, effects);
  HAL_TRY_ASSIGN(const uint64_t length, ranges.add(fill.target, true, argument + ".target"));
  const uint32_t size = fill.pattern_size;
  if (size != 1 && size != 2 && size != 4 && size != 8) {
    return invalid(Rule::kMemory, argument + ".pattern_size", "is " + text(size) + "; expected 1, 2, 4 or 8");
  }
  if (fill.target.offset % size == 0 && (length == HAL_WHOLE_BUFFER || length % size == 0)) return {};
  return invalid(Rule::kMemory, argument + ".target",
                 "offset " + text(fill.target.offset) + " and length " + text(length) +
                     " are not both multiples of pattern_size " + text(size));
}

Result<void> check_update(const WorkContext& context, const hal_work_update_t& update, const std::string& argument,
                          Effects& effects) {
  Ranges ranges(context, effects);
  HAL_TRY_ASSIGN(const uint64_t length, ranges.add(update.target, true, argument + ".target"));
  if (length != HAL_WHOLE_BUFFER && length > kMaxUpdate) {
    return out_of_range(Rule::kMemory, argument + ".target",
                        text(length) + " bytes; an update takes at most 65536, so copy from a buffer");
  }
  if (length != 0 && update.data == nullptr) {
    return invalid(Rule::kStrings, argument + ".data", "is NULL; expected " + text(length) + " bytes");
  }
  return {};
}

Result<void> check_grid(const Object& device, const hal_work_dispatch_t& dispatch, const std::string& argument) {
  for (size_t axis = 0; axis < 3; ++axis) {
    if (dispatch.workgroup_count[axis] <= device.caps.max_workgroup_count[axis]) continue;
    return out_of_range(Rule::kProgram, argument + ".workgroup_count[" + text(axis) + "]",
                        "is " + text(dispatch.workgroup_count[axis]) + "; the device takes at most " +
                            text(device.caps.max_workgroup_count[axis]));
  }
  return {};
}

Result<void> check_dispatch(const WorkContext& context, const hal_work_dispatch_t& dispatch,
                            const std::string& argument, Effects& effects) {
  HAL_TRY_ASSIGN(const ObjectPtr executable,
                 context.registry.find(dispatch.executable, HAL_OBJECT_EXECUTABLE, argument + ".executable"));
  if (executable->device != context.device.handle) {
    return invalid(Rule::kHandle, argument + ".executable", "is of another device; load it on this one");
  }
  if (dispatch.entry >= executable->entries.size()) {
    return out_of_range(Rule::kProgram, argument + ".entry",
                        "is " + text(dispatch.entry) + " of an executable with " + text(executable->entries.size()));
  }
  const EntryFacts& entry = executable->entries[dispatch.entry];
  if (dispatch.binding_count != entry.binding_count || dispatch.constant_bytes != entry.constant_bytes) {
    return invalid(Rule::kProgram, argument,
                   "\"" + entry.name + "\" takes " + text(entry.binding_count) + " bindings and " +
                       text(entry.constant_bytes) + " bytes of constants; got " + text(dispatch.binding_count) +
                       " and " + text(dispatch.constant_bytes));
  }
  HAL_TRY(check_grid(context.device, dispatch, argument));
  if (dispatch.binding_count != 0 && dispatch.bindings == nullptr) {
    return invalid(Rule::kStrings, argument + ".bindings", "is NULL; expected " + text(dispatch.binding_count));
  }
  if (dispatch.constant_bytes != 0 && dispatch.constants == nullptr) {
    return invalid(Rule::kStrings, argument + ".constants", "is NULL; expected bytes");
  }
  Ranges ranges(context, effects);
  for (uint32_t i = 0; i < dispatch.binding_count; ++i) {
    const bool writes = i < 64 && (entry.written_bindings >> i & 1) != 0;
    HAL_TRY(ranges.add(dispatch.bindings[i], writes, argument + ".bindings[" + text(i) + "]"));
  }
  return {};
}

// What a command buffer does with the bindings that come with it.
Result<void> bind(const WorkContext& context, const Object& command_buffer, const hal_work_command_buffer_t& run,
                  const std::string& argument, Effects& effects) {
  Ranges ranges(context, effects);
  for (const Access& access : command_buffer.accesses) {
    if (access.buffer != nullptr) {
      if (!access.buffer->is_live) {
        return invalid(Rule::kHandle, argument + ".command_buffer",
                       "was recorded with the buffer \"" + access.buffer->label + "\", which was destroyed");
      }
      effects.accesses.push_back(access);
      continue;
    }
    if (access.slot >= run.binding_count) {
      return out_of_range(Rule::kCommandBuffer, argument + ".binding_count",
                          "is " + text(run.binding_count) + ", but slot " + text(access.slot) + " is used");
    }
    hal_buffer_range_t bound = run.bindings[access.slot];
    const std::string name = argument + ".bindings[" + text(access.slot) + "]";
    const size_t before = effects.accesses.size();
    HAL_TRY_ASSIGN(const uint64_t room, ranges.add(bound, access.writes, name));
    if (room == HAL_WHOLE_BUFFER) continue;
    HAL_TRY_ASSIGN(const uint64_t length, check_range(room, access.offset, access.length, name));
    effects.accesses[before].offset += access.offset;
    effects.accesses[before].length = length;
  }
  return {};
}

Result<void> check_command_buffer(const WorkContext& context, const hal_work_command_buffer_t& run,
                                  const std::string& argument, Effects& effects) {
  HAL_TRY_ASSIGN(const ObjectPtr object,
                 context.registry.find(run.command_buffer, HAL_OBJECT_COMMAND_BUFFER, argument + ".command_buffer"));
  if (object.get() == context.recording) {
    return invalid(Rule::kCommandBuffer, argument + ".command_buffer", "is the one that is recorded into");
  }
  if (run.binding_count != 0 && run.bindings == nullptr) {
    return invalid(Rule::kStrings, argument + ".bindings", "is NULL; expected " + text(run.binding_count));
  }
  const std::lock_guard lock(object->mutex);
  const auto not_ready = [&](const std::string& what) {
    return violation(HAL_STATUS_FAILED_PRECONDITION, Rule::kCommandBuffer, argument + ".command_buffer", what);
  };
  if (!object->is_finished) return not_ready("is still open for recording; finish it first");
  if (context.recording != nullptr && (object->flags & HAL_COMMAND_BUFFER_NESTED) == 0) {
    return not_ready("may not run from another; make it with HAL_COMMAND_BUFFER_NESTED");
  }
  if (object->has_run && (object->flags & HAL_COMMAND_BUFFER_ONE_SHOT) != 0) {
    return not_ready("ran already and is HAL_COMMAND_BUFFER_ONE_SHOT; record it again");
  }
  effects.calls_host = effects.calls_host || object->calls_host;
  HAL_TRY(bind(context, *object, run, argument, effects));
  if (context.recording == nullptr) object->has_run = true;
  return {};
}

template <typename T>
const T& as(const hal_work_t* work) {
  return *reinterpret_cast<const T*>(work);
}

template <typename T, typename Check>
Result<void> check_as(const WorkContext& context, const hal_work_t* work, const std::string& argument, Effects& effects,
                      Check&& check) {
  HAL_TRY(check_struct(work, sizeof(T), argument));
  if (work->struct_size < sizeof(T)) {
    return invalid(
        Rule::kZeroTail, argument + ".struct_size",
        "is " + text(work->struct_size) + "; expected " + text(sizeof(T)) + ", as HAL_WORK_..._INIT sets it");
  }
  return check(context, as<T>(work), argument, effects);
}

Result<void> check_host_call(const WorkContext&, const hal_work_host_call_t& call, const std::string& argument,
                             Effects& effects) {
  if (call.call == nullptr) return invalid(Rule::kStrings, argument + ".call", "is NULL; expected a function");
  effects.calls_host = true;
  return {};
}

Result<void> check_alloc(const WorkContext& context, const hal_work_alloc_t& alloc, const std::string& argument,
                         Effects&) {
  HAL_TRY_ASSIGN(const ObjectPtr buffer, context.registry.find(alloc.buffer, HAL_OBJECT_BUFFER, argument + ".buffer"));
  if ((buffer->flags & HAL_BUFFER_DEFERRED) == 0) {
    return invalid(Rule::kMemory, argument + ".buffer", "has memory of its own; make it with HAL_BUFFER_DEFERRED");
  }
  return {};
}

Result<void> check_collective(const WorkContext& context, const hal_work_collective_t& collective,
                              const std::string& argument, Effects&) {
  HAL_TRY(context.registry.find(collective.communicator, HAL_OBJECT_COMMUNICATOR, argument + ".communicator"));
  return {};
}

}  // namespace

Result<uint64_t> check_range(uint64_t size, uint64_t offset, uint64_t length, const std::string& argument) {
  const uint64_t room = offset <= size ? size - offset : 0;
  if (offset <= size && length == HAL_WHOLE_BUFFER) return room;
  if (offset <= size && length <= room) return length;
  return out_of_range(Rule::kMemory, argument,
                      "offset " + text(offset) + " and length " +
                          (length == HAL_WHOLE_BUFFER ? "HAL_WHOLE_BUFFER" : text(length)) + " of a buffer of " +
                          text(size) + " bytes; keep to it");
}

Result<void> check_struct(const void* given, uint32_t known_size, const std::string& argument) {
  if (given == nullptr) return invalid(Rule::kStrings, argument, "is NULL");
  uint32_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < sizeof(uint64_t) || size > kMaxStruct) {
    return invalid(Rule::kZeroTail, argument + ".struct_size",
                   "is " + text(size) + "; expected " + text(known_size) + ", as HAL_..._INIT sets it");
  }
  for (uint32_t at = known_size; at < size; ++at) {
    if (static_cast<const unsigned char*>(given)[at] == 0) continue;
    return violation(HAL_STATUS_UNSUPPORTED, Rule::kZeroTail, argument,
                     "has a field at offset " + text(at) + " that this release does not know and that is not zero");
  }
  return {};
}

Result<void> check_chain(const hal_chain_t* node, const std::string& argument) {
  for (uint32_t depth = 0; node != nullptr; node = node->next) {
    if (++depth <= HAL_CHAIN_MAX_DEPTH) continue;
    return invalid(Rule::kChain, argument + ".next", "is longer than 64 nodes, or a cycle; end it with NULL");
  }
  return {};
}

Result<void> check_work(const WorkContext& context, const hal_work_t* work, const std::string& argument,
                        Effects& effects) {
  HAL_TRY(check_struct(work, UINT32_MAX, argument));
  if (work->struct_size < sizeof(hal_work_t)) {
    return invalid(Rule::kZeroTail, argument + ".struct_size",
                   "is " + text(work->struct_size) + "; expected the size that HAL_WORK_..._INIT sets");
  }
  HAL_TRY(check_chain(work->next, argument));
  switch (work->type) {
    case HAL_WORK_COPY:
      return check_as<hal_work_copy_t>(context, work, argument, effects, check_copy);
    case HAL_WORK_FILL:
      return check_as<hal_work_fill_t>(context, work, argument, effects, check_fill);
    case HAL_WORK_UPDATE:
      return check_as<hal_work_update_t>(context, work, argument, effects, check_update);
    case HAL_WORK_DISPATCH:
      return check_as<hal_work_dispatch_t>(context, work, argument, effects, check_dispatch);
    case HAL_WORK_COMMAND_BUFFER:
      return check_as<hal_work_command_buffer_t>(context, work, argument, effects, check_command_buffer);
    case HAL_WORK_HOST_CALL:
      return check_as<hal_work_host_call_t>(context, work, argument, effects, check_host_call);
    case HAL_WORK_ALLOC:
    case HAL_WORK_FREE:
      return check_as<hal_work_alloc_t>(context, work, argument, effects, check_alloc);
    case HAL_WORK_COLLECTIVE:
      return check_as<hal_work_collective_t>(context, work, argument, effects, check_collective);
    case HAL_WORK_NONE:
      return violation(HAL_STATUS_UNSUPPORTED, Rule::kOrder, argument + ".type",
                       "is HAL_WORK_NONE; begin with a HAL_WORK_..._INIT");
    default:
      return {};  // a later release's or a vendor's: the plugin answers
  }
}

}  // namespace hal::layers::validation

// SPDX-License-Identifier: Apache-2.0
//
// Rows of the groups that a plugin may leave out. Where a group is absent there is no object of its kinds, so the
// device stands in for one: the slot must answer UNSUPPORTED whatever it is given.
#include "kernels.hpp"
#include "slots.hpp"

namespace hal::conformance {
namespace {

bool declares(Arguments& with, uint64_t feature) { return (with.rig().features() & feature) != 0; }

// An object of an optional group, or the device where the group is absent.
template <typename T>
class Object {
 public:
  using Destroy = void (*)(T*);
  Object(Arguments& with, T* made, Destroy destroy) : made_(made), destroy_(destroy) {
    if (made_ != nullptr) reinterpret_cast<hal_object_t*>(made_)->calls = &with.calls();
    device_ = with.device();
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() {
    if (made_ != nullptr) destroy_(made_);
  }
  T* get() const { return made_ != nullptr ? made_ : reinterpret_cast<T*>(device_); }
  T* release() { return std::exchange(made_, nullptr); }

 private:
  T* made_;
  Destroy destroy_;
  hal_device_t* device_;
};

// ---- executable ----

// The suite's programs, or an empty program of the device's first format where it has none for it.
struct Program {
  explicit Program(Arguments& with) : image(find_kernels(with.rig().context().snapshot().formats)) {
    const hal_device_caps_t caps = capabilities_of(with.device());
    if (image) {
      desc.format = to_hal(image->format);
      desc.target = to_hal(image->target);
      desc.bytes = {image->bytes.data(), image->bytes.size()};
    } else if (caps.format_count != 0) {
      desc.format = caps.formats[0];
    }
  }
  std::optional<KernelImage> image;
  hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
};

hal_executable_t* load_for(Arguments& with) {
  hal_executable_t* executable = nullptr;
  const Program program(with);
  if (!program.image || !declares(with, HAL_FEATURE_EXECUTABLES)) return nullptr;
  expect_ok(hal_executable_load(with.device(), &program.desc, &executable), "executable.load of the suite's programs");
  return executable;
}

hal_status_t* can_load(Arguments& with) {
  hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
  desc.format = to_hal("nobody-has-this/1");
  hal_load_grade_t grade;
  hal_string_t reason = {};
  hal_status_t* status =
      with.calls().executable->can_load(with.subject(with.device()), &desc, with.out(grade), &reason);
  if (status == nullptr) expect_equal(grade, HAL_LOAD_NO, "the grade of a format that nobody has");
  return with.check(status, "executable.can_load");
}

hal_status_t* load(Arguments& with) {
  const Program program(with);
  hal_executable_t* executable;
  hal_status_t* status =
      with.calls().executable->load(with.subject(with.device()), &program.desc, with.out(executable));
  if (status == nullptr) with.calls().executable->destroy(executable);
  with.check(status, "executable.load");
  if (program.image || with.mistake() != Mistake::kNone || hal_status_code(status) != HAL_STATUS_DATA_CORRUPT)
    return status;
  return hal_status_release(status), nullptr;  // no program of ours to load: what it says of none is right
}

hal_status_t* executable_destroy(Arguments& with) {
  for (int i = 0; i < 3; i++) {
    hal_executable_t* const executable = load_for(with);
    if (executable != nullptr) with.calls().executable->destroy(executable);
  }
  if (declares(with, HAL_FEATURE_EXECUTABLES)) return nullptr;
  hal_load_grade_t grade = 0;
  hal_string_t reason = {};
  const hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
  return with.calls().executable->can_load(with.device(), &desc, &grade, &reason);
}

hal_status_t* entries(Arguments& with) {
  const Object<hal_executable_t> program(with, load_for(with), with.calls().executable->destroy);
  uint32_t count;
  return with.check(with.calls().executable->entries(with.subject(program.get()), 0, with.out(count), nullptr),
                    "executable.entries");
}

hal_status_t* export_artefact(Arguments& with) {
  const Object<hal_executable_t> program(with, load_for(with), with.calls().executable->destroy);
  uint64_t count;
  hal_string_t compatibility = {};
  hal_status_t* status = with.calls().executable->export_artefact(with.subject(program.get()), 0, with.out(count),
                                                                  nullptr, &compatibility);
  if (status == nullptr) expect(count != 0, "an artefact has no bytes");
  return with.check(status, "executable.export_artefact");
}

// ---- command buffer ----

hal_command_buffer_t* record_for(Arguments& with) {
  hal_command_buffer_t* commands = nullptr;
  const hal_command_buffer_desc_t desc = HAL_COMMAND_BUFFER_DESC_INIT;
  if (!declares(with, HAL_FEATURE_COMMAND_BUFFERS)) return nullptr;
  expect_ok(hal_command_buffer_create(with.device(), &desc, &commands), "command_buffer.create");
  return commands;
}

using Commands = Object<hal_command_buffer_t>;

hal_status_t* command_buffer_create(Arguments& with) {
  const hal_command_buffer_desc_t desc = HAL_COMMAND_BUFFER_DESC_INIT;
  hal_command_buffer_t* commands;
  hal_status_t* status = with.calls().command_buffer->create(with.subject(with.device()), &desc, with.out(commands));
  if (status == nullptr) with.calls().command_buffer->destroy(commands);
  return with.check(status, "command_buffer.create");
}

// A destroy call says nothing, so an absent one is seen by its neighbour.
hal_status_t* command_buffer_destroy(Arguments& with) {
  for (int i = 0; i < 100; i++) {
    Commands commands(with, record_for(with), with.calls().command_buffer->destroy);
  }
  const hal_command_buffer_desc_t desc = HAL_COMMAND_BUFFER_DESC_INIT;
  hal_command_buffer_t* last = nullptr;
  hal_status_t* status = with.calls().command_buffer->create(with.device(), &desc, &last);
  if (status == nullptr) with.calls().command_buffer->destroy(last);
  return status;
}

hal_status_t* command_buffer_record(Arguments& with) {
  const Commands commands(with, record_for(with), with.calls().command_buffer->destroy);
  const Buffer buffer = with.rig().buffer(64);
  const hal_work_fill_t fill = fill_work(range_of(buffer.get()), 1, 1);
  return with.calls().command_buffer->record(with.subject(commands.get()), as_work(fill));
}

hal_status_t* command_buffer_barrier(Arguments& with) {
  const Commands commands(with, record_for(with), with.calls().command_buffer->destroy);
  return with.calls().command_buffer->barrier(with.subject(commands.get()));
}

hal_status_t* command_buffer_finish(Arguments& with) {
  const Commands commands(with, record_for(with), with.calls().command_buffer->destroy);
  return with.calls().command_buffer->finish(with.subject(commands.get()));
}

// ---- collective ----

// A group of one rank: enough to see that a slot works.
hal_status_t* create_one(Arguments& with, hal_device_t* device, hal_communicator_t** out) {
  uint8_t id[1024];
  uint64_t length = 0;
  hal_status_t* status = with.calls().collective->unique_id(with.device(), sizeof id, &length, id);
  if (status != nullptr && with.mistake() != Mistake::kNone) return status;
  if (status != nullptr) {
    if (out != nullptr) *out = nullptr;
    return status;
  }
  expect(length != 0 && length <= sizeof id, "a group's name has " + std::to_string(length) + " bytes");
  hal_communicator_desc_t desc = HAL_COMMUNICATOR_DESC_INIT;
  desc.rank_count = 1;
  desc.unique_id = {id, length};
  desc.deadline = in_milliseconds(kPatience);
  return with.calls().collective->create(device, &desc, out);
}

hal_communicator_t* join_for(Arguments& with) {
  hal_communicator_t* communicator = nullptr;
  if (!declares(with, HAL_FEATURE_COLLECTIVES)) return nullptr;
  expect_ok(create_one(with, with.device(), &communicator), "collective.create of a group of one");
  return communicator;
}

using Communicator = Object<hal_communicator_t>;

hal_status_t* collective_query(Arguments& with) {
  const hal_collective_query_t query = {sizeof query, 0, 0, 0};
  uint32_t support;
  hal_status_t* status = with.calls().collective->query_support(with.subject(with.device()), &query, with.out(support));
  if (status == nullptr) expect_equal(support, HAL_SUPPORT_NONE, "the support of no operation at all");
  return with.check(status, "collective.query_support");
}

hal_status_t* collective_unique_id(Arguments& with) {
  uint64_t count;
  return with.check(with.calls().collective->unique_id(with.subject(with.device()), 0, with.out(count), nullptr),
                    "collective.unique_id");
}

hal_status_t* collective_create(Arguments& with) {
  hal_communicator_t* communicator;
  hal_communicator_t** const out = with.out(communicator);
  hal_status_t* status = create_one(with, with.subject(with.device()), out);
  if (status == nullptr) with.calls().collective->destroy(communicator);
  return with.check(status, "collective.create");
}

hal_status_t* collective_destroy(Arguments& with) {
  hal_communicator_t* last = nullptr;
  for (int i = 0; i < 20; i++) {
    Communicator communicator(with, join_for(with), with.calls().collective->destroy);
  }
  hal_status_t* status = create_one(with, with.device(), &last);
  if (status == nullptr) with.calls().collective->destroy(last);
  return status;
}

hal_status_t* collective_abort(Arguments& with) {
  const Communicator communicator(with, join_for(with), with.calls().collective->destroy);
  return with.calls().collective->abort(with.subject(communicator.get()));
}

// ---- profiling ----

hal_profiler_t* profiler_for(Arguments& with) {
  hal_profiler_t* profiler = nullptr;
  const hal_profiler_desc_t desc = {sizeof desc, 0, nullptr, 0, nullptr};
  if (!declares(with, HAL_FEATURE_PROFILING)) return nullptr;
  expect_ok(with.calls().profiling->create(with.device(), &desc, &profiler), "profiling.create");
  return profiler;
}

using Profiler = Object<hal_profiler_t>;

hal_status_t* profiling_counters(Arguments& with) {
  uint32_t count;
  return with.check(with.calls().profiling->counters(with.subject(with.device()), 0, with.out(count), nullptr),
                    "profiling.counters");
}

hal_status_t* profiling_calibrate(Arguments& with) {
  hal_calibration_t calibration;
  hal_status_t* status = with.calls().profiling->calibrate(with.subject(with.device()), with.out(calibration));
  if (status == nullptr) expect(calibration.host_time <= hal_time_now(), "a calibration was taken in the future");
  return with.check(status, "profiling.calibrate");
}

hal_status_t* profiling_create(Arguments& with) {
  const hal_profiler_desc_t desc = {sizeof desc, 0, nullptr, 0, nullptr};
  hal_profiler_t* profiler;
  hal_status_t* status = with.calls().profiling->create(with.subject(with.device()), &desc, with.out(profiler));
  if (status == nullptr) with.calls().profiling->destroy(profiler);
  return with.check(status, "profiling.create");
}

hal_status_t* profiling_destroy(Arguments& with) {
  for (int i = 0; i < 20; i++) {
    Profiler profiler(with, profiler_for(with), with.calls().profiling->destroy);
  }
  const hal_profiler_desc_t desc = {sizeof desc, 0, nullptr, 0, nullptr};
  hal_profiler_t* last = nullptr;
  hal_status_t* status = with.calls().profiling->create(with.device(), &desc, &last);
  if (status == nullptr) with.calls().profiling->destroy(last);
  return status;
}

hal_status_t* profiling_start(Arguments& with) {
  const Profiler profiler(with, profiler_for(with), with.calls().profiling->destroy);
  return with.calls().profiling->start(with.subject(profiler.get()));
}

hal_status_t* profiling_stop(Arguments& with) {
  const Profiler profiler(with, profiler_for(with), with.calls().profiling->destroy);
  if (declares(with, HAL_FEATURE_PROFILING))
    expect_ok(with.calls().profiling->start(profiler.get()), "profiling.start");
  return with.calls().profiling->stop(with.subject(profiler.get()));
}

hal_status_t* profiling_read(Arguments& with) {
  const Profiler profiler(with, profiler_for(with), with.calls().profiling->destroy);
  uint32_t count;
  hal_status_t* status = with.calls().profiling->read(with.subject(profiler.get()), 0, with.out(count), nullptr);
  if (status == nullptr) expect_equal(count, 0, "the records of a profiler that was never started");
  return with.check(status, "profiling.read");
}

// ---- telemetry and extension ----

hal_status_t* telemetry_metrics(Arguments& with) {
  uint32_t count;
  hal_status_t* status = with.calls().telemetry->metrics(with.subject(with.device()), 0, with.out(count), nullptr);
  if (status == nullptr) expect(count != 0, "a device declares TELEMETRY and has no metric");
  return with.check(status, "telemetry.metrics");
}

// An array, like those of count-then-fill, is left as it is by a call that fails.
hal_status_t* telemetry_read(Arguments& with) {
  const uint32_t first = 0;
  hal_metric_value_t value;
  return with.calls().telemetry->read(with.subject(with.device()), 1, &first, with.out(value));
}

hal_status_t* extension_list(Arguments& with) {
  const OwnInstance own(with.rig());
  uint32_t count;
  return with.check(with.calls().extension->list(with.subject(own.get()), 0, with.out(count), nullptr),
                    "extension.list");
}

// A name that does not exist is NOT_FOUND: that is the right answer here.
hal_status_t* extension_table(Arguments& with) {
  const OwnInstance own(with.rig());
  const void* table;
  hal_status_t* status =
      with.calls().extension->table(with.subject(own.get()), to_hal("nobody.has-this"), 1, with.out(table));
  with.check(status, "extension.table");
  expect(status != nullptr, "extension.table found an extension that nobody has");
  if (status->code != HAL_STATUS_NOT_FOUND) return status;
  return hal_status_release(status), nullptr;
}

}  // namespace

std::vector<SlotRow> executable_slots() {
  return {{"executable.can_load", HAL_FEATURE_EXECUTABLES, true, true, can_load},
          {"executable.load", HAL_FEATURE_EXECUTABLES, true, true, load},
          {"executable.destroy", HAL_FEATURE_EXECUTABLES, false, false, executable_destroy},
          {"executable.entries", HAL_FEATURE_EXECUTABLES, true, true, entries},
          {"executable.export_artefact", kOptional, true, true, export_artefact}};
}

std::vector<SlotRow> command_buffer_slots() {
  constexpr uint64_t kNeeds = HAL_FEATURE_COMMAND_BUFFERS;
  return {{"command_buffer.create", kNeeds, true, true, command_buffer_create},
          {"command_buffer.destroy", kNeeds, false, false, command_buffer_destroy},
          {"command_buffer.record", kNeeds, true, false, command_buffer_record},
          {"command_buffer.barrier", kNeeds, true, false, command_buffer_barrier},
          {"command_buffer.finish", kNeeds, true, false, command_buffer_finish}};
}

std::vector<SlotRow> collective_slots() {
  constexpr uint64_t kNeeds = HAL_FEATURE_COLLECTIVES;
  return {{"collective.query_support", kNeeds, true, true, collective_query},
          {"collective.unique_id", kNeeds, true, true, collective_unique_id},
          {"collective.create", kNeeds, true, true, collective_create},
          {"collective.destroy", kNeeds, false, false, collective_destroy},
          {"collective.abort", kNeeds, true, false, collective_abort}};
}

std::vector<SlotRow> profiling_slots() {
  constexpr uint64_t kNeeds = HAL_FEATURE_PROFILING;
  return {{"profiling.counters", kNeeds, true, true, profiling_counters},
          {"profiling.calibrate", kNeeds, true, true, profiling_calibrate},
          {"profiling.create", kNeeds, true, true, profiling_create},
          {"profiling.destroy", kNeeds, false, false, profiling_destroy},
          {"profiling.start", kNeeds, true, false, profiling_start},
          {"profiling.stop", kNeeds, true, false, profiling_stop},
          {"profiling.read", kNeeds, true, true, profiling_read}};
}

std::vector<SlotRow> telemetry_slots() {
  return {{"telemetry.metrics", HAL_FEATURE_TELEMETRY, true, true, telemetry_metrics},
          {"telemetry.read", HAL_FEATURE_TELEMETRY, true, true, telemetry_read}};
}

std::vector<SlotRow> extension_slots() {
  return {{"extension.list", kOptional, true, true, extension_list},
          {"extension.table", kOptional, true, true, extension_table}};
}

}  // namespace hal::conformance

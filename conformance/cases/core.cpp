// SPDX-License-Identifier: Apache-2.0
//
// Executables: what can_load and load answer, and dispatch of small programs over grids. Programs come from
// kernels.hpp by format; a device whose formats have none there cannot pass the level.
#include <cstring>

#include "cases.hpp"
#include "kernels.hpp"

namespace hal::conformance {
namespace {

constexpr char kRules[] = "HAL-ABI-14, hal/executable.h";
// Not a pass: what was never dispatched cannot be certified.
constexpr char kNoPrograms[] = "the suite has no programs in any format that the device lists; add them to kernels.hpp";
constexpr char kDispatch[] = "hal/queue.h: HAL_WORK_DISPATCH";

Case core(std::string name, std::string clause, std::function<void(Rig&)> body) {
  Case item = with_rig(name, std::move(clause), std::move(body));
  item.name = "core." + std::move(name);
  item.level = Level::kCore;
  return needing(HAL_FEATURE_EXECUTABLES, std::move(item));
}

hal_executable_desc_t desc_of(std::string_view format, std::string_view target, std::span<const std::byte> bytes) {
  hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
  desc.format = to_hal(format);
  desc.target = to_hal(target);
  desc.bytes = {bytes.data(), bytes.size()};
  return desc;
}

hal_status_t* load(Rig& rig, const hal_executable_desc_t& desc, hal_executable_t** out) {
  return hal_calls_of(rig.device())->executable.load(rig.device(), &desc, out);
}

void expect_refused(Rig& rig, const hal_executable_desc_t& desc, hal_status_code_t code, const std::string& what) {
  auto* executable = reinterpret_cast<hal_executable_t*>(&rig);
  expect_code(load(rig, desc, &executable), code, "executable.load of " + what);
  expect(executable == nullptr, "executable.load failed and did not zero *out_executable");
}

void unknown_format(Rig& rig) {
  const std::byte bytes[16] = {};
  const hal_executable_desc_t desc = desc_of("nobody-has-this/1", "", bytes);
  hal_load_grade_t grade = 99;
  hal_string_t reason = {};
  expect_ok(hal_executable_can_load(rig.device(), &desc, &grade, &reason), "executable.can_load of an unknown format");
  expect_equal(grade, HAL_LOAD_NO, "the grade of an unknown format");
  expect(reason.length != 0, "executable.can_load says no and gives no reason");
  expect_refused(rig, desc, HAL_STATUS_UNSUPPORTED, "an unknown format");
}

void declared_formats(Rig& rig) {
  const hal_device_caps_t caps = capabilities_of(rig.device());
  for (uint32_t i = 0; i < caps.format_count; i++) {
    hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
    desc.format = caps.formats[i];
    hal_load_grade_t grade = HAL_LOAD_NO;
    hal_string_t reason = {};
    expect_ok(hal_executable_can_load(rig.device(), &desc, &grade, &reason),
              "executable.can_load of a declared format");
    expect(grade != HAL_LOAD_NO && grade <= HAL_LOAD_BEST,
           "a declared format without bytes has grade " + std::to_string(grade));
  }
}

void corrupt_bytes(Rig& rig) {
  Random random = rig.context().random();
  const hal_device_caps_t caps = capabilities_of(rig.device());
  for (uint32_t i = 0; i < caps.format_count; i++) {
    const std::string format(caps.formats[i].data, caps.formats[i].length);
    for (const size_t size : {size_t{1}, size_t{64}, size_t{4096}}) {
      const Bytes bytes = random.bytes(size);
      expect_refused(rig, desc_of(format, "", bytes), HAL_STATUS_DATA_CORRUPT,
                     std::to_string(size) + " random bytes as " + format);
    }
    expect_refused(rig, desc_of(format, "", {}), HAL_STATUS_DATA_CORRUPT, "no bytes as " + format);
  }
}

void null_arguments(Rig& rig) {
  const hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
  hal_executable_t* executable = nullptr;
  const auto& group = hal_calls_of(rig.device())->executable;
  expect_code(group.load(rig.device(), nullptr, &executable), HAL_STATUS_INVALID_ARGUMENT, "executable.load of NULL");
  expect_code(group.load(rig.device(), &desc, nullptr), HAL_STATUS_INVALID_ARGUMENT,
              "executable.load with out_executable NULL");
}

void unsupported(Rig& rig) {
  expect_refused(rig, desc_of("elf-x86-64/1", "", {}), HAL_STATUS_UNSUPPORTED,
                 "anything, where EXECUTABLES is not declared");
}

// ---- programs ----

struct Program {
  explicit Program(Rig& rig) {
    const std::optional<KernelImage> image = find_kernels(rig.context().snapshot().formats);
    expect(image.has_value(), kNoPrograms);
    hal_executable_t* raw = nullptr;
    const hal_executable_desc_t desc = desc_of(image->format, image->target, image->bytes);
    expect_ok(hal_executable_load(rig.device(), &desc, &raw), "executable.load of the suite's programs");
    expect(raw != nullptr, "executable.load succeeded and gave no executable");
    executable.reset(raw);
    entries = list(raw);
  }

  static std::vector<hal_entry_info_t> list(hal_executable_t* executable) {
    uint32_t count = 0;
    expect_ok(hal_executable_entries(executable, 0, &count, nullptr), "executable.entries with capacity 0");
    expect(count < 4096, "executable.entries counts " + std::to_string(count));
    std::vector<hal_entry_info_t> infos(count);
    for (auto& info : infos) info.struct_size = sizeof info;
    expect_ok(hal_executable_entries(executable, count, &count, infos.data()), "executable.entries");
    return infos;
  }

  uint32_t find(std::string_view name) const {
    for (uint32_t i = 0; i < entries.size(); i++) {
      if (std::string_view(entries[i].name.data, entries[i].name.length) == name) return i;
    }
    throw CaseFailure("the suite's programs have no entry '" + std::string(name) + "' once they are loaded");
  }

  Executable executable;
  std::vector<hal_entry_info_t> entries;
};

hal_work_dispatch_t dispatch_work(const Program& program, std::string_view entry, const uint32_t (&grid)[3],
                                  const std::vector<hal_buffer_range_t>& bindings,
                                  std::span<const std::byte> constants) {
  hal_work_dispatch_t work = HAL_WORK_DISPATCH_INIT;
  work.executable = program.executable.get();
  work.entry = program.find(entry);
  std::copy(grid, grid + 3, work.workgroup_count);
  work.bindings = bindings.data();
  work.binding_count = static_cast<uint32_t>(bindings.size());
  work.constants = constants.data();
  work.constant_bytes = static_cast<uint32_t>(constants.size());
  return work;
}

void reflect(Rig& rig) {
  const Program program(rig);
  const hal_entry_info_t& ids = program.entries[program.find("write_ids")];
  expect_equal(ids.binding_count, 1, "binding_count of write_ids");
  expect_equal(ids.constant_bytes, 0, "constant_bytes of write_ids");
  expect_equal(ids.written_bindings, 1, "written_bindings of write_ids");
  const hal_entry_info_t& add = program.entries[program.find("add_constants")];
  expect_equal(add.binding_count, 2, "binding_count of add_constants");
  expect_equal(add.constant_bytes, 16, "constant_bytes of add_constants");
  expect_equal(add.written_bindings, 2, "written_bindings of add_constants");
}

// Workgroup (x, y, z) writes its linear number plus one: a group that is lost, doubled or swapped shows.
void grids(Rig& rig) {
  const Program program(rig);
  constexpr uint32_t shapes[][3] = {{1, 1, 1}, {7, 1, 1}, {1, 5, 1}, {1, 1, 3}, {2, 3, 5}, {64, 3, 2}, {1000, 1, 1}};
  for (const auto& grid : shapes) {
    const uint32_t count = grid[0] * grid[1] * grid[2];
    const Buffer buffer = rig.buffer((count + 16) * 4);
    const Bytes guard((count + 16) * 4, kGuard);
    rig.write(buffer.get(), guard);
    const std::vector<hal_buffer_range_t> bindings = {range_of(buffer.get(), 32, count * 4)};
    const hal_work_dispatch_t work = dispatch_work(program, "write_ids", grid, bindings, {});
    rig.run({as_work(work)});
    Bytes expected = guard;
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t value = i + 1;
      std::memcpy(&expected[32 + i * 4], &value, 4);
    }
    expect_bytes(
        rig.read(buffer.get(), 0, guard.size()), expected,
        "a grid of " + std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " + std::to_string(grid[2]));
  }
}

void empty_grids(Rig& rig) {
  const Program program(rig);
  const Buffer buffer = rig.buffer(64);
  rig.write(buffer.get(), Bytes(64, kPoison));
  const std::vector<hal_buffer_range_t> bindings = {range_of(buffer.get())};
  constexpr uint32_t shapes[][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0, 0, 0}};
  for (const auto& grid : shapes) {
    const hal_work_dispatch_t work = dispatch_work(program, "write_ids", grid, bindings, {});
    rig.run({as_work(work)});
  }
  expect_bytes(rig.read(buffer.get(), 0, 64), Bytes(64, kPoison), "the binding of a grid with a zero extent");
}

// out = in + c0 + c1 + c2 + c3, with constants overwritten after submit and two runs on the same handles.
void constants(Rig& rig) {
  const Program program(rig);
  Random random = rig.context().random();
  const Buffer in = rig.buffer(400), out = rig.buffer(400);
  for (int round = 0; round < 4; round++) {
    const Bytes bytes = random.bytes(400);
    uint32_t values[4] = {random.next(), random.next(), random.next(), random.next()};
    const uint32_t sum = values[0] + values[1] + values[2] + values[3];
    rig.write(in.get(), bytes);
    rig.write(out.get(), Bytes(400, kPoison));
    std::vector<hal_buffer_range_t> bindings = {range_of(in.get()), range_of(out.get())};
    const Semaphore gate = rig.semaphore(), done = rig.semaphore();
    const hal_work_dispatch_t work =
        dispatch_work(program, "add_constants", {100, 1, 1}, bindings, std::as_bytes(std::span(values)));
    rig.submit({as_work(work)}, {{gate.get(), 1}}, {{done.get(), 1}});
    std::memset(values, 0, sizeof values);
    bindings = {range_of(nullptr), range_of(nullptr)};
    expect_ok(hal_semaphore_signal(gate.get(), 1), "queue.semaphore_signal");
    rig.wait(done.get(), 1);
    Bytes expected(400);
    for (size_t i = 0; i < 100; i++) {
      uint32_t value = 0;
      std::memcpy(&value, &bytes[i * 4], 4);
      value += sum;
      std::memcpy(&expected[i * 4], &value, 4);
    }
    expect_bytes(rig.read(out.get(), 0, 400), expected, "out = in + four constants");
    expect_bytes(rig.read(in.get(), 0, 400), bytes, "the input of a dispatch");
  }
}

void expect_submit_refused(Rig& rig, const hal_work_dispatch_t& work, hal_status_code_t code, const std::string& what) {
  expect_code(rig.try_submit(rig.queue(), {as_work(work)}, {}, {}), code, "queue.submit of a dispatch " + what);
}

void bad_dispatches(Rig& rig) {
  const Program program(rig);
  const Buffer buffer = rig.buffer(64);
  const std::vector<hal_buffer_range_t> one = {range_of(buffer.get())},
                                        two = {range_of(buffer.get()), range_of(buffer.get())};
  hal_work_dispatch_t work = dispatch_work(program, "write_ids", {1, 1, 1}, two, {});
  expect_submit_refused(rig, work, HAL_STATUS_INVALID_ARGUMENT, "with a binding too many");
  work = dispatch_work(program, "write_ids", {1, 1, 1}, one, {});
  work.entry = static_cast<uint32_t>(program.entries.size());
  expect_submit_refused(rig, work, HAL_STATUS_OUT_OF_RANGE, "of an entry past the last");
  work = dispatch_work(program, "write_ids", {1, 1, 1}, one, {});
  work.executable = nullptr;
  expect_submit_refused(rig, work, HAL_STATUS_INVALID_ARGUMENT, "without an executable");
  const std::vector<hal_buffer_range_t> outside = {range_of(buffer.get(), 0, 65)};
  work = dispatch_work(program, "write_ids", {1, 1, 1}, outside, {});
  expect_submit_refused(rig, work, HAL_STATUS_OUT_OF_RANGE, "with a binding past the end of its buffer");
}

void destroy_after_submit(Rig& rig) {
  Program program(rig);
  const Buffer buffer = rig.buffer(16);
  const std::vector<hal_buffer_range_t> bindings = {range_of(buffer.get())};
  const Semaphore gate = rig.semaphore(), done = rig.semaphore();
  const hal_work_dispatch_t work = dispatch_work(program, "write_ids", {4, 1, 1}, bindings, {});
  rig.submit({as_work(work)}, {{gate.get(), 1}}, {{done.get(), 1}});
  program.executable.reset();
  expect_ok(hal_semaphore_signal(gate.get(), 1), "queue.semaphore_signal");
  rig.wait(done.get(), 1);
  const uint32_t expected[] = {1, 2, 3, 4};
  expect_bytes(rig.read(buffer.get(), 0, 16), std::as_bytes(std::span(expected)),
               "a dispatch whose executable was destroyed after submit");
}

// The number that an entry returns comes back as the vendor code of the failure.
void failing_entry(Rig& rig) {
  const Program program(rig);
  const Semaphore done = rig.semaphore();
  const hal_work_dispatch_t work = dispatch_work(program, "fail_with_42", {1, 1, 1}, {}, {});
  rig.submit({as_work(work)}, {}, {{done.get(), 1}});
  const hal_semaphore_value_t point{done.get(), 1};
  hal_status_t* status = hal_semaphore_wait(rig.device(), HAL_WAIT_ALL, 1, &point, in_milliseconds(kPatience), nullptr);
  expect(status != nullptr, "a dispatch whose entry failed: expected 'aborted', got success");
  const hal_status_t* root = status;
  while (root->cause != nullptr) root = root->cause;
  const int64_t number = root->vendor_code;
  expect_code(status, HAL_STATUS_ABORTED, "a dispatch whose entry failed");
  expect_equal(static_cast<uint64_t>(number), 42, "the number that the entry returned");
}

void truncated_program(Rig& rig) {
  const std::optional<KernelImage> image = find_kernels(rig.context().snapshot().formats);
  expect(image.has_value(), kNoPrograms);
  for (const size_t size : {size_t{1}, size_t{63}, size_t{64}, image->bytes.size() / 2}) {
    expect_refused(rig, desc_of(image->format, image->target, image->bytes.first(size)), HAL_STATUS_DATA_CORRUPT,
                   "the first " + std::to_string(size) + " bytes of a program");
  }
}

}  // namespace

Cases core_cases() {
  Case absent = core("executable.unsupported", "HAL-ABI-14", unsupported);
  absent.needs = 0;
  absent.lacks = HAL_FEATURE_EXECUTABLES;
  return {core("executable.unknown_format", kRules, unknown_format),
          core("executable.declared_formats", kRules, declared_formats),
          negative(core("executable.corrupt_bytes", kRules, corrupt_bytes)),
          negative(core("executable.null_arguments", kRules, null_arguments)),
          negative(core("executable.truncated", kRules, truncated_program)),
          negative(std::move(absent)),
          core("executable.reflect", kRules, reflect),
          core("dispatch.grids", kDispatch, grids),
          core("dispatch.empty_grids", kDispatch, empty_grids),
          core("dispatch.constants", kDispatch, constants),
          negative(core("dispatch.refused", kDispatch, bad_dispatches)),
          core("dispatch.destroy_after_submit", "HAL-ABI-19", destroy_after_submit),
          core("dispatch.failing_entry", kDispatch, failing_entry)};
}

}  // namespace hal::conformance

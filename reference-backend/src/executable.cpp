// SPDX-License-Identifier: Apache-2.0
//
// The executable group: format "elf-x86-64/1".
#include "executable.hpp"

#include <string>

#include "elf_check.hpp"
#include "entry_table.hpp"
#include "features.hpp"
#include "library.hpp"
#include "plugin.hpp"

namespace hal::cpu {
namespace {

std::span<const std::byte> bytes_of(const hal_executable_desc_t& desc) {
  return {static_cast<const std::byte*>(desc.bytes.data), desc.bytes.length};
}

std::string_view view(hal_string_t string) { return {string.data, string.length}; }

hal_status_t* read_desc(const char* call, const hal_executable_desc_t* in, hal_executable_desc_t* desc) {
  if (hal_status_t* status = HAL_SDK_READ(call, hal_executable_desc_t, in, desc)) return status;
  if (hal_status_t* status = hal_sdk_check_chain(call, desc->next)) return status;
  if (hal_status_t* status = hal_sdk_check_zero(call, "hal_executable_desc_t", desc->reserved0,
                                                offsetof(hal_executable_desc_t, reserved0))) {
    return status;
  }
  for (const hal_string_t& string : {desc->format, desc->target, desc->compatibility, desc->label}) {
    if (string.length == 0 || (string.data != nullptr && string.length <= 65536)) continue;
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "a string of the descriptor is NULL or over 65536 bytes");
  }
  if (desc->bytes.length == 0 || desc->bytes.data != nullptr) return nullptr;
  return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "bytes.data is NULL and bytes.length is not 0");
}

// Why an executable cannot be loaded: a code, static text, and the part of the input that it speaks of.
struct Refusal {
  hal_status_code_t code = HAL_STATUS_OK;
  const char* reason = "";
  std::string detail;
};

Refusal refuse_description(const hal_executable_desc_t& desc) {
  if (view(desc.format) != HAL_ELF_CPU_FORMAT_X86_64 || architecture() != "x86-64") {
    return {HAL_STATUS_UNSUPPORTED, "the device loads only the format " HAL_ELF_CPU_FORMAT_X86_64,
            std::string(view(desc.format))};
  }
  if (desc.compatibility.length != 0) {
    return {HAL_STATUS_INCOMPATIBLE, "this plugin stores no artefacts, so the compatibility string must be empty",
            std::string(view(desc.compatibility))};
  }
  if (desc.target.length == 0) return {};
  const TargetVerdict verdict = check_target(view(desc.target));
  if (verdict.runs) return {};
  return {HAL_STATUS_INCOMPATIBLE, verdict.reason,
          std::string(verdict.missing) + "', of '" + std::string(view(desc.target)) + "'; the machine is '" +
              machine_target()};
}

// Code that leaves out the machine's widest vectors runs, but code made for them would run faster.
hal_load_grade_t grade_of(std::string_view target) {
  for (const char* widest : {"avx512f", "avx2"}) {
    if (!has_feature(widest)) continue;
    return target.find(widest) != target.npos ? HAL_LOAD_BEST : HAL_LOAD_SLOW;
  }
  return HAL_LOAD_BEST;
}

hal_status_t* can_load(hal_device_t* device, const hal_executable_desc_t* in, hal_load_grade_t* out_grade,
                       hal_string_t* out_reason) {
  static constexpr char call[] = "executable.can_load";
  hal_executable_desc_t desc;
  if (out_grade != nullptr) *out_grade = HAL_LOAD_NO;
  if (out_reason != nullptr) *out_reason = {nullptr, 0};
  if (out_grade == nullptr || out_reason == nullptr) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_grade or out_reason is NULL");
  }
  if (hal_status_t* status = hal_sdk_check_device(device, call)) return status;
  if (hal_status_t* status = read_desc(call, in, &desc)) return status;
  return guarded(call, [&]() -> hal_status_t* {
    const Refusal refusal = refuse_description(desc);
    ElfVerdict verdict;
    if (refusal.code == HAL_STATUS_OK && desc.bytes.length != 0) verdict = check_elf(bytes_of(desc));
    const char* reason = refusal.code != HAL_STATUS_OK ? refusal.reason : verdict.reason;
    if (refusal.code == HAL_STATUS_OK && verdict.good()) {
      *out_grade = grade_of(view(desc.target));
      reason =
          *out_grade == HAL_LOAD_BEST ? "loads as it is" : "loads; code for the machine's widest vectors is faster";
    }
    *out_reason = hal_sdk_string(reason);
    return nullptr;
  });
}

Result<std::unique_ptr<hal_executable>> make_executable(const hal_device_t& device, const hal_executable_desc_t& desc) {
  const ElfVerdict verdict = check_elf(bytes_of(desc));
  if (!verdict.good()) {
    return Error{verdict.code, std::string("the bytes are no kernel library: ") + verdict.reason + " (at or with " +
                                   std::to_string(verdict.where) + ")"};
  }
  HAL_TRY_ASSIGN(Library library, load_library(bytes_of(desc)));
  HAL_TRY_ASSIGN(EntryTable table, read_entries(library.base, verdict, device.caps));
  auto executable = std::make_unique<hal_executable>();
  executable->library = std::move(library.handle);
  executable->entries = table.entries;
  executable->infos = std::move(table.infos);
  executable->base.entries = executable->infos.data();
  executable->base.entry_count = static_cast<uint32_t>(executable->infos.size());
  return executable;
}

hal_status_t* load_checked(hal_device_t* device, const hal_executable_desc_t& desc, hal_executable_t** out_executable) {
  static constexpr char call[] = "executable.load";
  const Refusal refusal = refuse_description(desc);
  if (refusal.code != HAL_STATUS_OK) {
    return hal_sdk_status(refusal.code, call, "%s; got '%s'", refusal.reason, refusal.detail.c_str());
  }
  auto executable = make_executable(*device, desc);
  if (!executable) return to_status(executable.error(), call);
  hal_sdk_object_init(&(*executable)->base.object, HAL_OBJECT_EXECUTABLE, device->base.object.instance,
                      &device->base.object,
                      [](hal_sdk_object_t* self) { delete reinterpret_cast<hal_executable_t*>(self); });
  *out_executable = executable->release();
  return nullptr;
}

hal_status_t* load(hal_device_t* device, const hal_executable_desc_t* in, hal_executable_t** out_executable) {
  static constexpr char call[] = "executable.load";
  hal_executable_desc_t desc;
  if (out_executable == nullptr) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_executable is NULL");
  *out_executable = nullptr;
  if (hal_status_t* status = hal_sdk_check_device(device, call)) return status;
  if (hal_status_t* status = read_desc(call, in, &desc)) return status;
  return guarded(call, [&] { return load_checked(device, desc, out_executable); });
}

}  // namespace

const hal_executable_group_t executable_group = {
    sizeof(hal_executable_group_t), 1, can_load, load, hal_sdk_executable_destroy, hal_sdk_executable_entries, nullptr};

}  // namespace hal::cpu

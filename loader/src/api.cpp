// SPDX-License-Identifier: Apache-2.0
//
// hal/loader.h over the Loader class: checks pointers, turns Results into statuses, and lets no exception out.
#include <time.h>

#include "hal/loader.h"
#include "lifetime.hpp"
#include "loader.hpp"
#include "status.hpp"
#include "structs.hpp"
#include "text.hpp"

using hal::Error;
using hal::Result;
namespace loader = hal::loader;

struct hal_loader {
  std::unique_ptr<loader::Loader> impl;
};

namespace {

// Runs `body` on a loader that is there and belongs to this process.
template <typename Body>
hal_status_t* with_loader(hal_loader_t* handle, Body&& body) noexcept {
  return loader::at_edge([&]() -> Result<void> {
    if (handle == nullptr) return hal::invalid_argument("loader is NULL; make one with hal_loader_create");
    HAL_TRY(loader::check_alive(handle->impl->generation()));
    return body(*handle->impl);
  });
}

hal_loader_file_t to_file(const loader::FileReport& report) {
  return {sizeof(hal_loader_file_t),
          report.verdict,
          loader::to_hal(report.path),
          loader::to_hal(report.library),
          loader::to_hal(report.plugin),
          loader::to_hal(report.reason),
          loader::to_hal(report.origin),
          report.code,
          0};
}

hal_loader_plugin_t to_plugin(const loader::Plugin& plugin) {
  const loader::Negotiated& about = plugin.about();
  return {sizeof(hal_loader_plugin_t),
          about.abi_version,
          loader::to_hal(about.name),
          loader::to_hal(about.version),
          loader::to_hal(about.vendor),
          loader::to_hal(about.build_id),
          loader::to_hal(plugin.path()),
          about.groups,
          0};
}

hal_loader_layer_t to_layer(const loader::LayerReport& report) {
  return {sizeof(hal_loader_layer_t),    report.verdict,
          loader::to_hal(report.name),   loader::to_hal(report.version),
          loader::to_hal(report.path),   loader::to_hal(report.library),
          loader::to_hal(report.reason), loader::to_hal(report.origin)};
}

hal_loader_device_t to_device(const loader::Chip& chip) {
  return {sizeof(hal_loader_device_t),
          chip.plugin,
          chip.index,
          chip.also_count,
          loader::to_hal(chip.device->listed_name),
          chip.info};
}

}  // namespace

extern "C" {

hal_status_t* hal_loader_create(const hal_loader_desc_t* desc, hal_loader_t** out_loader) {
  return loader::at_edge([&]() -> Result<void> {
    if (out_loader == nullptr) return hal::invalid_argument("out_loader is NULL");
    *out_loader = nullptr;
    HAL_TRY_ASSIGN(std::unique_ptr<loader::Loader> made, loader::Loader::create(desc));
    *out_loader = new hal_loader{std::move(made)};
    return {};
  });
}

hal_status_t* hal_loader_destroy(hal_loader_t* handle) {
  if (handle == nullptr) return nullptr;
  hal_status_t* const status = with_loader(handle, [](loader::Loader& self) { return self.shut_down(); });
  if (status == nullptr) delete handle;
  return status;
}

hal_status_t* hal_loader_files(hal_loader_t* handle, uint32_t capacity, uint32_t* out_count,
                               hal_loader_file_t* out_files) {
  return with_loader(handle, [&](loader::Loader& self) {
    Result<void> result;
    self.show_files([&](const std::vector<loader::FileReport>& reports) {
      result = loader::fill_out_structs(capacity, static_cast<uint32_t>(reports.size()), out_count, out_files,
                                        [&](uint32_t i) { return to_file(reports[i]); });
    });
    return result;
  });
}

hal_status_t* hal_loader_layers(hal_loader_t* handle, uint32_t capacity, uint32_t* out_count,
                                hal_loader_layer_t* out_layers) {
  return with_loader(handle, [&](loader::Loader& self) {
    const auto& layers = self.layers();
    return loader::fill_out_structs(capacity, static_cast<uint32_t>(layers.size()), out_count, out_layers,
                                    [&](uint32_t i) { return to_layer(layers[i]); });
  });
}

hal_status_t* hal_loader_plugins(hal_loader_t* handle, uint32_t capacity, uint32_t* out_count,
                                 hal_loader_plugin_t* out_plugins) {
  return with_loader(handle, [&](loader::Loader& self) {
    const auto& plugins = self.plugins();
    return loader::fill_out_structs(capacity, static_cast<uint32_t>(plugins.size()), out_count, out_plugins,
                                    [&](uint32_t i) { return to_plugin(*plugins[i]); });
  });
}

hal_status_t* hal_loader_devices(hal_loader_t* handle, uint32_t capacity, uint32_t* out_count,
                                 hal_loader_device_t* out_devices) {
  return with_loader(handle, [&](loader::Loader& self) -> Result<void> {
    if (out_count != nullptr) *out_count = 0;
    HAL_TRY_ASSIGN(const std::vector<loader::Chip> chips, self.chips());
    return loader::fill_out_structs(capacity, static_cast<uint32_t>(chips.size()), out_count, out_devices,
                                    [&](uint32_t i) { return to_device(chips[i]); });
  });
}

hal_status_t* hal_loader_open(hal_loader_t* handle, hal_string_t name, hal_device_t** out_device) {
  return with_loader(handle, [&](loader::Loader& self) -> Result<void> {
    if (out_device == nullptr) return hal::invalid_argument("out_device is NULL");
    *out_device = nullptr;
    HAL_TRY_ASSIGN(*out_device, self.open(loader::to_view(name)));
    return {};
  });
}

void hal_loader_close(hal_loader_t* handle, hal_device_t* device) {
  if (device == nullptr) return;
  hal_status_release(with_loader(handle, [&](loader::Loader& self) -> Result<void> {
    self.close(device);
    return {};
  }));
}

hal_time_t hal_time_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<hal_time_t>(now.tv_sec) * 1000000000u + static_cast<hal_time_t>(now.tv_nsec);
}

hal_string_t hal_loader_version(void) { return loader::to_hal(MORTISE_VERSION); }

}  // extern "C"

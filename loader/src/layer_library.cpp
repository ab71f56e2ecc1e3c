// SPDX-License-Identifier: Apache-2.0
#include "layer_library.hpp"

#include "filter.hpp"
#include "linker.hpp"
#include "negotiate.hpp"
#include "status.hpp"
#include "structs.hpp"

namespace hal::loader {
namespace {

constexpr uint64_t kMaxText = 256;

Error garbage(const std::string& text) { return data_corrupt("the layer's " + text); }

Result<void> check(const hal_layer_t* layer) {
  if (layer == nullptr) return garbage(HAL_LAYER_QUERY_NAME " returned success but no layer");
  if (reinterpret_cast<uintptr_t>(layer) % alignof(hal_layer_t) != 0) {
    return garbage("hal_layer_t is not aligned to 8 bytes");
  }
  if (layer->struct_size < sizeof(hal_layer_t) || layer->struct_size > kMaxStructSize) {
    return garbage("hal_layer_t.struct_size is " + std::to_string(layer->struct_size) + "; expected " +
                   std::to_string(sizeof(hal_layer_t)) + " or a little more");
  }
  // Tables are changed in place: a layer that knows more slots than the tables have would write beyond them.
  if (HAL_ABI_MAJOR_OF(layer->abi_version) != HAL_ABI_MAJOR || layer->abi_version > HAL_ABI_VERSION) {
    return Error{HAL_STATUS_INCOMPATIBLE, "the layer needs ABI " + abi_text(layer->abi_version) +
                                              ", this host speaks " + abi_text(HAL_ABI_VERSION)};
  }
  if (layer->sanitizer > HAL_SANITIZER_THREAD ||
      (layer->sanitizer != HAL_SANITIZER_NONE && layer->sanitizer != own_sanitizer())) {
    return Error{HAL_STATUS_INCOMPATIBLE, "the layer was built with sanitizer " + std::to_string(layer->sanitizer) +
                                              ", this host with " + std::to_string(own_sanitizer()) +
                                              "; build both the same way"};
  }
  if (layer->attach == nullptr) return garbage("attach is NULL");
  if (layer->detach == nullptr) return garbage("detach is NULL");
  return {};
}

}  // namespace

Result<std::shared_ptr<LayerLibrary>> LayerLibrary::open(const std::string& path) {
  std::shared_ptr<LayerLibrary> library(new LayerLibrary);
  HAL_TRY(library->load(path));
  return library;
}

Result<void> LayerLibrary::load(const std::string& path) {
  HAL_TRY(Linker::load(library_, path, std::chrono::seconds(10)));
  void* const symbol = Linker::find(library_, HAL_LAYER_QUERY_NAME);
  if (symbol == nullptr) {
    return Error{HAL_STATUS_INCOMPATIBLE, "missing symbol " HAL_LAYER_QUERY_NAME "; this is not a layer"};
  }
  auto* const query = reinterpret_cast<hal_status_t* (*)(uint32_t, const hal_layer_t**)>(symbol);
  const hal_layer_t* layer = nullptr;
  HAL_TRY(call_plugin(HAL_LAYER_QUERY_NAME, [&] { return query(HAL_ABI_VERSION, &layer); }));
  HAL_TRY(check(layer));
  HAL_TRY_ASSIGN(name_, read_plugin_string(layer->name, "name", kMaxText));
  if (!is_plugin_name(name_)) {
    return garbage("name is \"" + name_ + "\"; expected [a-z][a-z0-9-]*, at most 32 bytes");
  }
  HAL_TRY_ASSIGN(version_, read_plugin_string(layer->version, "version", kMaxText));
  layer_ = layer;
  return {};
}

LayerLibrary::~LayerLibrary() { Linker::unload(library_); }

namespace {

Result<std::shared_ptr<LayerLibrary>> open_one(LayerReport& report) {
  HAL_TRY_ASSIGN(std::shared_ptr<LayerLibrary> library, LayerLibrary::open(report.library));
  if (report.path != report.library && report.name != library->name()) {
    return Error{HAL_STATUS_INCOMPATIBLE,
                 "the manifest names layer \"" + report.name + "\", its library says \"" + library->name() + "\""};
  }
  report.name = library->name();
  report.version = library->version();
  return library;
}

}  // namespace

std::vector<ActiveLayer> open_layers(const Options& options, std::vector<LayerReport>& reports) {
  std::vector<ActiveLayer> layers;
  for (LayerReport& report : reports) {
    if (report.verdict != HAL_LOADER_TAKEN) continue;
    Result<std::shared_ptr<LayerLibrary>> library = open_one(report);
    if (!library) {
      report.refuse(library.error().message);
      continue;
    }
    // Two paths to one library: its state would be found twice by one address.
    const bool is_twice = std::any_of(layers.begin(), layers.end(), [&](const ActiveLayer& other) {
      return &other.library->layer() == &(*library)->layer();
    });
    if (is_twice) {
      report.refuse("a second path to a layer that is on already");
      continue;
    }
    add_configuration(options, report);
    layers.push_back({*library, &report});
  }
  return layers;
}

}  // namespace hal::loader

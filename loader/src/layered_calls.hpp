// SPDX-License-Identifier: Apache-2.0
//
// The tables of one plugin with layers over them: for each layer a copy of the tables below it, changed by the layer's
// attach. Objects lead to the outermost. Without layers there is none of this, and objects lead to the plugin's own.
#ifndef LOADER_LAYERED_CALLS_HPP_
#define LOADER_LAYERED_CALLS_HPP_

#include <memory>
#include <string>
#include <vector>

#include "hal/layer.h"
#include "log.hpp"
#include "slots.hpp"

namespace hal::loader {

struct ActiveLayer;
class LayerLibrary;

class LayeredCalls {
 public:
  // `layers` outermost first. A layer that fails to attach is left out, and its report gets the reason. NULL if none is
  // left.
  static std::unique_ptr<LayeredCalls> make(const std::vector<ActiveLayer>& layers, const hal_calls_t* own,
                                            const std::string& plugin, std::shared_ptr<const Log> log);

  // Detaches the layers, outermost first.
  ~LayeredCalls();
  LayeredCalls(const LayeredCalls&) = delete;
  LayeredCalls& operator=(const LayeredCalls&) = delete;

  const hal_calls_t* calls() const { return &layered_.calls; }

  // For device.initialize. Lives as long as this.
  hal_layer_stack_node_t node() const;

  // For an instance that could not be shut down: its objects still lead here.
  static void keep(std::unique_ptr<LayeredCalls> calls);

 private:
  struct Level {
    std::shared_ptr<LayerLibrary> library;
    Tables tables{};
    hal_calls_t calls{};  // into tables
    void* state = nullptr;
  };

  LayeredCalls(std::string plugin, std::shared_ptr<const Log> log);
  bool attach(const ActiveLayer& active, const hal_calls_t* next);
  void finish(const hal_calls_t* own);

  std::string plugin_;
  std::shared_ptr<const Log> log_;
  hal_host_t host_{};
  std::vector<std::unique_ptr<Level>> levels_;  // outermost first once finished
  std::vector<hal_layer_link_t> links_;
  hal_layer_stack_t stack_{};
  hal_layered_calls_t layered_{};
};

}  // namespace hal::loader

#endif  // LOADER_LAYERED_CALLS_HPP_

// SPDX-License-Identifier: Apache-2.0
//
// What a call through libhal costs (HAL-ABI-25): at most 5 ns more than a direct one, with 1 plugin or 8, with 1 thread
// or
// 16. "Direct" calls the plugin's function through a pointer that is read once; "Through" is what applications do.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>

#include "hal/loader.hpp"

namespace {

// The first `count` of eight plugins, a device of each. Lives as long as the program.
struct Plugins {
  explicit Plugins(size_t count) : loader(make(count)) {
    const std::vector<hal_loader_device_t> listed = loader.devices().value();
    for (const hal_loader_device_t& device : listed) {
      devices.push_back(std::move(loader.open(hal::view(device.name))).value());
    }
  }

  static hal::Loader make(size_t count) {
    static constexpr const char* kAnimals[] = {"good",    "future_minor", "short_tables", "telemetry",
                                               "clash_1", "clash_2",      "calls_back",   "garbage"};
    hal::LoaderOptions options;
    options.explicit_only = true;
    for (size_t i = 0; i < count; ++i) {
      options.plugin_paths.push_back(std::string(ZOO_FOLDER "/mortise_") + kAnimals[i] + ".so");
    }
    hal::Result<hal::Loader> loader = hal::Loader::create(options);
    if (!loader) {
      std::cerr << loader.error().message << '\n';
      std::exit(1);
    }
    return std::move(*loader);
  }

  hal::Loader loader;
  std::vector<hal::Device> devices;
};

Plugins& plugins(size_t count) {
  static Plugins one(1), eight(8);
  return count == 1 ? one : eight;
}

void Direct(benchmark::State& state) {
  hal_device_t* const device = plugins(1).devices[0].get();
  auto* function = hal_calls_of(device)->device->state;
  benchmark::DoNotOptimize(function);
  hal_device_state_t value = 0;
  for (auto _ : state) benchmark::DoNotOptimize(function(device, &value));
}
BENCHMARK(Direct)->ThreadRange(1, 16)->UseRealTime();

// Goes round the devices, so that no table stays predicted by chance.
void Through(benchmark::State& state) {
  std::vector<hal::Device>& devices = plugins(static_cast<size_t>(state.range(0))).devices;
  hal_device_state_t value = 0;
  for (auto _ : state) {
    for (const hal::Device& device : devices) {
      hal_device_t* handle = device.get();
      benchmark::DoNotOptimize(handle);
      benchmark::DoNotOptimize(hal_device_state(handle, &value));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(devices.size()));
}
BENCHMARK(Through)->Arg(1)->Arg(8)->ThreadRange(1, 16)->UseRealTime();

void AbsentSlot(benchmark::State& state) {
  hal_device_t* const device = plugins(1).devices[0].get();
  for (auto _ : state) hal_status_release(hal_device_reset(device));
}
BENCHMARK(AbsentSlot);

// Create, one device opened and closed, destroy.
void LoadAndUnload(benchmark::State& state) {
  for (auto _ : state) {
    hal::Loader loader = Plugins::make(1);
    benchmark::DoNotOptimize(loader.open("zoo-good"));
  }
}
BENCHMARK(LoadAndUnload)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();

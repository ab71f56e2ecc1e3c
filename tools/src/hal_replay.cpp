// SPDX-License-Identifier: Apache-2.0
//
// hal-replay: runs what the layer "record" wrote on a device, and compares it with the recorded run, or with a second
// device after each submission.
#include <fstream>
#include <iterator>

#include "open_device.hpp"
#include "replay.hpp"
#include "tool.hpp"

namespace hal::tools {
namespace {

using layers::record::Event;
using layers::record::Recording;
using layers::record::ReplayOptions;
using layers::record::ReplayReport;

struct Request {
  std::string file;
  std::string device = "cpu:0";
  std::string against;
  std::vector<std::string> plugins;
  bool lists = false;
  ReplayOptions options;
};

Result<Recording> read_recording(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found(path + " cannot be opened for reading");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Result<Recording> recording = layers::record::decode(bytes);
  if (!recording) return Error{recording.error().code, path + ": " + recording.error().message};
  return recording;
}

void list(const Recording& recording) {
  for (size_t i = 0; i < recording.events.size(); ++i) {
    const Event& event = recording.events[i];
    std::cout << i << "  " << layers::record::event_name(event);
    if (event.object != 0) std::cout << "  object " << event.object;
    if (!event.texts.empty() && !event.texts[0].empty()) std::cout << "  " << event.texts[0];
    if (!event.data.empty()) std::cout << "  " << event.data.size() << " bytes";
    std::cout << '\n';
  }
}

void print(const ReplayReport& report) {
  for (const std::string& difference : report.differences) std::cout << difference << '\n';
  std::cout << report.events << " events, " << report.submissions << " submissions; " << report.different_reads
            << " of " << report.reads << " reads differ from the recorded run; " << report.different_ranges << " of "
            << report.compared_ranges << " ranges differ between the devices\n";
}

Result<int> run(const Tool& tool, const Request& request) {
  HAL_TRY_ASSIGN(const Recording recording, read_recording(request.file));
  if (recording.is_truncated) tool.warn("the recording ends within an event; what is whole is played");
  if (request.lists) {
    list(recording);
    return kExitGood;
  }
  std::vector<OpenDevice> opened;
  for (const std::string& name : {request.device, request.against}) {
    if (name.empty()) continue;
    HAL_TRY_ASSIGN(OpenDevice device, OpenDevice::open(name, request.plugins));
    opened.push_back(std::move(device));
  }
  std::vector<hal_device_t*> devices;
  for (const OpenDevice& device : opened) devices.push_back(device.get());
  HAL_TRY_ASSIGN(const ReplayReport report, layers::record::replay(recording, devices, request.options));
  print(report);
  return report.is_same() ? kExitGood : kExitNotHeld;
}

}  // namespace
}  // namespace hal::tools

int main(int argc, char** argv) {
  hal::tools::Request request;
  hal::tools::Tool tool("hal-replay", "Runs a recorded run again",
                        "  MORTISE_LAYERS=record MORTISE_LAYER_RECORD_FILE=run.record hal-run model.onnx\n"
                        "  hal-replay run.record --trust-programs\n"
                        "  hal-replay run.record --device cpu:0 --against opencl:0 --tolerance 1e-5");
  CLI::App& app = tool.app();
  app.add_option("file", request.file, "What the layer record wrote")->required();
  app.add_option("--device", request.device, "Where to run it")->capture_default_str();
  app.add_option("--against", request.against, "A second device, to compare with after each submission");
  app.add_option("--plugin", request.plugins, "A library or manifest to load besides those that are found");
  app.add_option("--tolerance", request.options.tolerance, "Relative difference that f32 elements may have; 0: bytes")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--trust-programs", request.options.trusts_programs,
               "Load the native programs in the recording: only where you know who made it");
  app.add_flag("--list", request.lists, "Print the events and run nothing");
  if (const std::optional<int> done = tool.parse(argc, argv)) return *done;
  return tool.run([&] {
    const hal::Result<int> code = hal::tools::run(tool, request);
    return code ? *code : tool.fail(code.error());
  });
}

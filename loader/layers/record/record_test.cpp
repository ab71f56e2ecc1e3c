// SPDX-License-Identifier: Apache-2.0
//
// Record over the CPU plugin and replay: the file has the run in it, it runs again on the same plugin, another build of
// it and two devices side by side, and damage and differences are found.
#include <array>

#include "fixture.hpp"
#include "hal/cxx/hal.hpp"
#include "replay.hpp"

namespace hal::loader {
namespace {

using layers::record::decode;
using layers::record::encode;
using layers::record::Event;
using layers::record::EventType;
using layers::record::header;
using layers::record::Recording;
using layers::record::replay;
using layers::record::ReplayReport;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(file)), {}};
}

// Fills, copies, updates, persistent mappings and host signals on two queues.
Result<void> work_on(hal_device_t* device) {
  HAL_TRY_ASSIGN(const Queue one, create_queue(device));
  HAL_TRY_ASSIGN(const Queue two, create_queue(device));
  HAL_TRY_ASSIGN(const Buffer input, create_buffer(device, 256, HAL_BUFFER_ZEROED));
  HAL_TRY_ASSIGN(const Buffer output, create_buffer(device, 256, HAL_BUFFER_ZEROED));
  HAL_TRY_ASSIGN(const Semaphore go, create_semaphore(device));
  HAL_TRY_ASSIGN(const Semaphore done, create_semaphore(device));
  const std::array<std::byte, 16> bytes = {std::byte{1}, std::byte{2}, std::byte{3}};
  HAL_TRY(write_buffer(input.get(), 32, bytes));
  HAL_TRY_ASSIGN(const Mapping mapping, Mapping::create(input.get(), 0, 16, HAL_MAP_WRITE));
  std::memset(mapping.bytes().data(), 0x77, 16);
  Submission second;
  second.label("second").wait(done, 1).copy(range(input, 0, 128), range(output, 64, 128)).signal(done, 2);
  HAL_TRY(second.submit(two));
  Submission first;
  first.label("first").wait(go, 1).fill(range(output), 0xAB, 1).update(range(input, 48, 16), bytes.data());
  HAL_TRY(first.signal(done, 1).submit(one));
  HAL_TRY(take_status(hal_semaphore_signal(go.get(), 1)));
  HAL_TRY(wait(device, done, 2));
  std::array<std::byte, 256> read{};
  HAL_TRY(read_buffer(output.get(), 0, read));
  const bool is_right = read[0] == std::byte{0xAB} && read[64] == std::byte{0x77} && read[64 + 33] == std::byte{2};
  return is_right ? Result<void>() : internal_error("the run itself is wrong");
}

class Record : public testing::Test {
 protected:
  std::string record() {
    const std::string path = folder.path() + "/run.record";
    TestLoader loader;
    loader.paths = {PLUGIN_FOLDER "/cpu.json"};
    loader.layers = {LAYER_FOLDER "/record.json"};
    loader.layer_config = {{"record.file", path}};
    EXPECT_TRUE(loader.create());
    const Result<hal_device_t*> device = loader.open("cpu:0");
    EXPECT_TRUE(device);
    const Result<void> worked = work_on(*device);
    EXPECT_TRUE(worked) << worked.error().message;
    loader.close(*device);
    EXPECT_TRUE(loader.destroy());
    return read_file(path);
  }

  Result<ReplayReport> play(const Recording& recording, bool on_two = false,
                            const std::vector<std::pair<std::string, std::string>>& faults = {}) {
    TestLoader plain, second;
    plain.paths = second.paths = {PLUGIN_FOLDER "/cpu.json"};
    if (!faults.empty()) second.layers = {LAYER_FOLDER "/fault.json"};
    second.layer_config = faults;
    HAL_TRY(plain.create());
    HAL_TRY(second.create());
    HAL_TRY_ASSIGN(hal_device_t* const one, plain.open("cpu:0"));
    HAL_TRY_ASSIGN(hal_device_t* const two, second.open("cpu:0"));
    std::vector<hal_device_t*> devices = {two};
    if (on_two) devices.insert(devices.begin(), one);
    Result<ReplayReport> report = replay(recording, devices, {});
    plain.close(one);
    second.close(two);
    return report;
  }

  TemporaryFolder folder;
};

TEST_F(Record, ARunIsInTheFileInOrderWithItsData) {
  const Result<Recording> recording = decode(record());
  ASSERT_TRUE(recording) << recording.error().message;
  EXPECT_FALSE(recording->is_truncated);
  std::vector<std::string> submits;
  bool has_write = false;
  for (const Event& event : recording->events) {
    if (event.type == EventType::kSubmit) submits.push_back(event.texts.at(0));
    has_write = has_write || (event.type == EventType::kBufferWrite && event.data == std::string(16, 0x77));
  }
  EXPECT_EQ(submits, (std::vector<std::string>{"second", "first"}));
  EXPECT_TRUE(has_write) << "what lay behind the mapping when the work was submitted";
}

TEST_F(Record, ItRunsAgainAndReadsTheSame) {
  const Result<Recording> recording = decode(record());
  ASSERT_TRUE(recording);
  const Result<ReplayReport> report = play(*recording);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->submissions, 2u);
  EXPECT_EQ(report->reads, 1u);
  EXPECT_TRUE(report->is_same());
}

TEST_F(Record, TwoDevicesAreComparedAfterEachSubmission) {
  const Result<Recording> recording = decode(record());
  ASSERT_TRUE(recording);
  const Result<ReplayReport> same = play(*recording, true);
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(same->compared_ranges, 3u) << "a copy, a fill and an update";
  EXPECT_TRUE(same->is_same());

  // A bit of the second device's memory flips, once both writes are done.
  const std::string rules = folder.write("rules.json", R"({"schema_version": 1, "seed": 3, "rules": [
      {"call": "memory.buffer_map", "when": {"nth": 3}, "then": {"corrupt": true}}]})");
  const Result<ReplayReport> different = play(*recording, true, {{"fault.rules", rules}});
  ASSERT_TRUE(different) << different.error().message;
  EXPECT_FALSE(different->is_same());
  ASSERT_FALSE(different->differences.empty());
  EXPECT_NE(different->differences[0].find(", expected "), std::string::npos) << different->differences[0];
}

TEST_F(Record, ADifferenceFromTheRecordedRunIsFound) {
  Result<Recording> recording = decode(record());
  ASSERT_TRUE(recording);
  for (Event& event : recording->events) {
    if (event.type == EventType::kBufferRead) event.data[7] = 0x12;
  }
  const Result<ReplayReport> report = play(*recording);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->different_reads, 1u);
  EXPECT_NE(report->differences.at(0).find("byte 7 is 171, expected 18"), std::string::npos) << report->differences[0];
}

TEST_F(Record, DamageIsFoundAndAKilledRunIsShorter) {
  const std::string whole = record();
  for (size_t at = 0; at < whole.size(); at += 3) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const Result<Recording> read = decode(damaged);
    // A length that is damaged may make the file look cut off; nothing that is read is wrong.
    EXPECT_TRUE(!read || read->is_truncated) << at;
  }
  const Result<Recording> cut = decode(std::string_view(whole).substr(0, whole.size() - 5));
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->is_truncated);
  std::string later = whole;
  later[8] = 9;
  EXPECT_EQ(decode(later).error().code, HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(decode("").error().code, HAL_STATUS_DATA_CORRUPT);
}

TEST_F(Record, WhatARecordingNamesMustBeThere) {
  Event event;
  event.type = EventType::kSubmit;
  event.object = 77;
  event.texts = {"lost"};
  const Result<Recording> recording = decode(header() + encode(event));
  ASSERT_TRUE(recording);
  const Result<ReplayReport> report = play(*recording);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "event 0, queue.submit \"lost\": it names queue 77, which is not there");
}

TEST_F(Record, ProgramsOfStrangersAreNotLoaded) {
  Event event;
  event.type = EventType::kExecutableLoad;
  event.object = 1;
  event.data = "native code";
  const Result<ReplayReport> report = play(*decode(header() + encode(event)));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, HAL_STATUS_PERMISSION_DENIED);
}

}  // namespace
}  // namespace hal::loader

// SPDX-License-Identifier: Apache-2.0
#include "chips.hpp"

#include <gtest/gtest.h>

namespace hal::loader {
namespace {

DeviceRecord device(uint8_t uuid, const std::string& pci = "", const std::string& partition = "") {
  DeviceRecord record;
  record.uuid[3] = uuid;
  record.pci_address = pci;
  record.partition = partition;
  return record;
}

TEST(Chips, AreTheSameByUuidOrByPciAddressAndPartition) {
  struct Case {
    DeviceRecord one, other;
    bool is_same;
  };
  const std::vector<Case> cases = {
      {device(1), device(1), true},
      {device(1), device(2), false},
      {device(0), device(0), false},  // no UUID is no identity
      {device(0, "0000:3b:00.0"), device(0, "0000:3b:00.0"), true},
      {device(1, "0000:3b:00.0"), device(2, "0000:3b:00.0"), true},
      {device(1, "0000:3b:00.0", "a"), device(2, "0000:3b:00.0", "b"), false},
      {device(1, "0000:3b:00.0", "a"), device(2, "0000:3b:00.0"), false},
      {device(1, "0000:3b:00.0"), device(2, "0000:3c:00.0"), false},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(cases[i].one.is_same_chip(cases[i].other), cases[i].is_same) << "case " << i;
    EXPECT_EQ(cases[i].other.is_same_chip(cases[i].one), cases[i].is_same) << "case " << i;
  }
}

// HAL-ABI-12: one chip once, given by the plugin whose file was found first, wherever its name sorts.
TEST(Chips, AreGivenByThePluginThatWasFoundFirst) {
  const std::vector<DeviceRecord> first = {device(1), device(2)}, second = {device(2), device(3)}, third = {device(2)};
  const std::vector<Chip> chips =
      list_chips({{0, 20, &first, nullptr}, {1, 30, &second, nullptr}, {2, 10, &third, nullptr}});
  ASSERT_EQ(chips.size(), 3u);
  const auto is = [](const Chip& chip, uint32_t plugin, uint32_t index, uint32_t also) {
    return chip.plugin == plugin && chip.index == index && chip.also_count == also;
  };
  EXPECT_TRUE(is(chips[0], 0, 0, 0));
  EXPECT_TRUE(is(chips[1], 1, 1, 0));
  EXPECT_TRUE(is(chips[2], 2, 0, 2));
}

TEST(Chips, UuidsAreReadWithDashesAnywhereAndNothingElse) {
  const auto uuid = parse_uuid("00010203-0405-0607-0809-0a0b0c0D0E0F");
  ASSERT_TRUE(uuid);
  for (uint8_t i = 0; i < 16; ++i) EXPECT_EQ((*uuid)[i], i);
  EXPECT_EQ(parse_uuid("000102030405060708090a0b0c0d0e0f"), uuid);
  for (const char* text : {"", "-", "000102030405060708090a0b0c0d0e0", "000102030405060708090a0b0c0d0e0f0",
                           "g00102030405060708090a0b0c0d0e0f", "cpu:0", "0001 02030405060708090a0b0c0d0e0f"}) {
    EXPECT_FALSE(parse_uuid(text)) << text;
  }
}

}  // namespace
}  // namespace hal::loader

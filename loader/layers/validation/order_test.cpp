// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include <gtest/gtest.h>

namespace hal::layers::validation {
namespace {

ObjectPtr make_buffer() {
  auto buffer = std::make_shared<Object>();
  buffer->label = "x";
  buffer->size = 64;
  return buffer;
}

SubmissionPtr make(std::vector<Point> waits, std::vector<Point> signals, std::vector<Access> accesses) {
  auto submission = std::make_shared<Submission>();
  submission->waits = std::move(waits);
  submission->signals = std::move(signals);
  submission->accesses = std::move(accesses);
  return submission;
}

class OrderTest : public testing::Test {
 protected:
  Access write(uint64_t offset = 0, uint64_t length = 64) { return {buffer, 0, offset, length, true}; }
  Access read(uint64_t offset = 0, uint64_t length = 64) { return {buffer, 0, offset, length, false}; }
  size_t add(std::vector<Point> waits, std::vector<Point> signals, std::vector<Access> accesses) {
    return order.add(make(std::move(waits), std::move(signals), std::move(accesses))).size();
  }

  ObjectPtr buffer = make_buffer();
  Order order;
};

TEST_F(OrderTest, TwoWritersWithNothingBetweenThem) {
  EXPECT_EQ(add({}, {{1, 1}}, {write()}), 0u);
  EXPECT_EQ(add({}, {{2, 1}}, {write()}), 1u);
}

TEST_F(OrderTest, ReadersAndOtherBytesDoNotMeet) {
  EXPECT_EQ(add({}, {}, {read()}), 0u);
  EXPECT_EQ(add({}, {}, {read()}), 0u);
  Order halves;
  EXPECT_EQ(halves.add(make({}, {}, {write(0, 32)})).size(), 0u);
  EXPECT_EQ(halves.add(make({}, {}, {write(32, 32)})).size(), 0u);
  EXPECT_EQ(halves.add(make({}, {}, {read(31, 2)})).size(), 2u) << "it meets both";
}

TEST_F(OrderTest, AWaitOrders) {
  EXPECT_EQ(add({}, {{1, 1}}, {write()}), 0u);
  EXPECT_EQ(add({{1, 1}}, {{1, 2}}, {write()}), 0u);
  EXPECT_EQ(add({{1, 2}}, {}, {read()}), 0u) << "over two steps";
  EXPECT_EQ(add({{1, 1}}, {}, {read()}), 1u) << "ordered after the first only";
}

TEST_F(OrderTest, AHigherValueStandsForTheLowerOnes) {
  EXPECT_EQ(add({}, {{1, 1}}, {write()}), 0u);
  EXPECT_EQ(add({}, {{1, 2}}, {}), 0u);
  EXPECT_EQ(add({{1, 2}}, {}, {write()}), 0u) << "values only grow: at 2 the one that signals 1 has ended";
}

TEST_F(OrderTest, AWaitThatIsSubmittedBeforeItsSignalIsJudgedWhenItIsPromised) {
  EXPECT_EQ(add({{1, 1}}, {}, {write()}), 0u) << "still open";
  EXPECT_EQ(add({}, {{1, 1}}, {write()}), 0u) << "this is what it waits for";
  Order other;
  EXPECT_EQ(other.add(make({{1, 1}}, {}, {write()})).size(), 0u);
  EXPECT_EQ(other.add(make({}, {{2, 1}}, {write()})).size(), 0u) << "may still be ordered by what signals 1";
  EXPECT_EQ(other.add(make({{2, 1}}, {{1, 1}}, {})).size(), 0u) << "and it is";
  Order third;
  EXPECT_EQ(third.add(make({{1, 1}}, {}, {write()})).size(), 0u);
  EXPECT_EQ(third.add(make({}, {{2, 1}}, {write()})).size(), 0u);
  EXPECT_EQ(third.add(make({}, {{1, 1}}, {})).size(), 1u) << "now it is certain that nothing orders them";
}

TEST_F(OrderTest, TheHostOrdersWhatItHasSeen) {
  EXPECT_EQ(add({}, {{1, 1}}, {write()}), 0u);
  EXPECT_EQ(add({{1, 1}}, {{2, 1}}, {write()}), 0u);
  EXPECT_EQ(order.writers(*buffer, 0, 64).size(), 2u);
  order.reached(2, 1);
  EXPECT_TRUE(order.writers(*buffer, 0, 64).empty()) << "what came before it has ended too";
  EXPECT_EQ(add({}, {{3, 1}}, {write()}), 0u);
  EXPECT_EQ(add({{1, 1}, {3, 1}}, {}, {write()}), 0u) << "a value that was seen needs no promise";
}

TEST_F(OrderTest, FailureEndsThemToo) {
  EXPECT_EQ(add({}, {{1, 1}}, {write()}), 0u);
  order.failed(1);
  EXPECT_TRUE(order.never_seen().empty());
  EXPECT_EQ(add({}, {}, {write()}), 0u);
}

TEST_F(OrderTest, WhatIsRefusedIsForgotten) {
  const SubmissionPtr refused = make({}, {{1, 1}}, {write()});
  EXPECT_EQ(order.add(refused).size(), 0u);
  order.remove(refused);
  EXPECT_EQ(add({}, {}, {write()}), 0u);
}

}  // namespace
}  // namespace hal::layers::validation

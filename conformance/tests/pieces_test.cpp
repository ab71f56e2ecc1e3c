// SPDX-License-Identifier: Apache-2.0
//
// The pieces that need no device: verdicts, names, plans, numbers, reproduction lines.
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "hal/conformance/isolate.hpp"
#include "hal/conformance/random.hpp"
#include "hal/conformance/runner.hpp"
#include "hal/conformance/writers.hpp"
#include "hal/device.h"

namespace hal::conformance {
namespace {

// The known answers that come with Random123, the authors' own library (kat_vectors, philox4x32, 10 rounds).
TEST(Philox, KnownAnswers) {
  using Block = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, StreamsAreIndependentAndRepeat) {
  Random a(7, 0), again(7, 0), other(7, 1);
  const auto bytes = a.bytes(100);
  EXPECT_EQ(bytes, again.bytes(100));
  EXPECT_NE(bytes, other.bytes(100));
  for (int i = 0; i < 1000; i++) {
    const int32_t value = a.between(-3, 3);
    EXPECT_GE(value, -3);
    EXPECT_LE(value, 3);
    EXPECT_LT(a.below(10), 10u);
  }
}

TEST(Verdicts, Latch) {
  for (const Verdict bad : kVerdicts) {
    if (!is_bad(bad) || bad == Verdict::kNotRun) continue;
    for (const Verdict next : kVerdicts) EXPECT_EQ(latch(bad, next), bad);
    EXPECT_EQ(latch(Verdict::kPass, bad), bad) << "a failure after a pass counts";
  }
  EXPECT_EQ(latch(Verdict::kNotRun, Verdict::kPass), Verdict::kPass);
  EXPECT_EQ(latch(Verdict::kPass, Verdict::kNotRun), Verdict::kPass);
  for (const Verdict verdict : kVerdicts) EXPECT_EQ(parse_verdict(to_text(verdict)), verdict);
  EXPECT_FALSE(parse_verdict("OK").has_value());
}

Case named(std::string name, Level level = Level::kRuntime) {
  Case item;
  item.name = std::move(name);
  item.level = level;
  item.clause = "test";
  item.body = [](CaseContext&) {};
  return item;
}

TEST(Registry, RefusesWhatCannotBeAName) {
  Registry registry;
  EXPECT_TRUE(registry.add(named("runtime.a")).has_value());
  EXPECT_FALSE(registry.add(named("runtime.a")).has_value()) << "twice";
  EXPECT_FALSE(registry.add(named("core.a")).has_value()) << "another level's";
  EXPECT_FALSE(registry.add(named("runtime.A b")).has_value());
  Case without = named("runtime.b");
  without.clause.clear();
  EXPECT_FALSE(registry.add(std::move(without)).has_value());
}

TEST(Registry, OursIsWholeAndLarge) {
  const auto registry = make_registry();
  ASSERT_TRUE(registry.has_value()) << registry.error().message;
  EXPECT_GE(registry->cases().size(), 200u);
  EXPECT_NE(registry->find("runtime.memory.fill_pattern4"), nullptr);
}

TEST(Plan, ShardsPartitionTheCases) {
  const auto registry = make_registry();
  const auto whole = make_plan(*registry, {}, {});
  size_t sum = 0;
  for (uint32_t i = 1; i <= 3; i++) {
    Selection selection;
    selection.shard_index = i;
    selection.shard_count = 3;
    const auto part = make_plan(*registry, selection, {});
    EXPECT_TRUE(part->is_partial);
    sum += part->cases.size();
  }
  EXPECT_EQ(sum, whole->cases.size());
}

TEST(Plan, TheSnapshotDecidesWhatIsUnsupported) {
  Registry registry;
  Case needs = named("runtime.needs"), lacks = named("runtime.lacks");
  needs.needs = HAL_FEATURE_COPY_2D;
  lacks.lacks = HAL_FEATURE_COPY_2D;
  ASSERT_TRUE(registry.add({needs, lacks}).has_value());
  Snapshot with;
  with.features = HAL_FEATURE_COPY_2D;
  const auto declared = make_plan(registry, {}, with), undeclared = make_plan(registry, {}, {});
  EXPECT_TRUE(declared->cases[0].unsupported.empty());
  EXPECT_FALSE(declared->cases[1].unsupported.empty());
  EXPECT_FALSE(undeclared->cases[0].unsupported.empty());
  EXPECT_TRUE(undeclared->cases[1].unsupported.empty());
}

TEST(Plan, ShardText) {
  Selection selection;
  for (const char* bad : {"", "1", "0/2", "3/2", "1/0", "a/b", "1/2x", "/"})
    EXPECT_FALSE(parse_shard(bad, selection).has_value()) << bad;
  EXPECT_TRUE(parse_shard("2/5", selection).has_value());
  EXPECT_EQ(selection.shard_index, 2u);
}

TEST(Plan, Globs) {
  EXPECT_TRUE(matches_glob("runtime.*.a?", "runtime.x.y.ab"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_FALSE(matches_glob("a*b", "abc"));
  EXPECT_FALSE(matches_glob("", "a"));
  EXPECT_TRUE(matches_glob("*a*a*a*", "aaa"));
}

TEST(Reproduction, LineAndBack) {
  Target target;
  target.plugin = "/a b/100%='x'.so";
  target.config = {{"p.k", "v=1 2"}};
  const auto options = parse_reproduction_line(reproduction_line(target, "runtime.a", 99));
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->target.plugin, target.plugin);
  EXPECT_EQ(options->target.config, target.config);
  EXPECT_EQ(options->selection.filter, "runtime.a");
  EXPECT_EQ(options->seed, 99u);
  for (const char* bad : {"", "case=a", "plugin=/x", "case=a plugin=/x bogus", "case=a plugin=%",
                          "case=a plugin=/x%4 seed=1", "case=a plugin=/x seed=z", "case=a plugin=/x k=v"}) {
    EXPECT_FALSE(parse_reproduction_line(bad).has_value()) << bad;
  }
}

TEST(Isolation, Endings) {
  Limits limits;
  limits.deadline_seconds = 0.3;
  const auto answered = run_isolated(limits, [] { return std::string("hello"); });
  ASSERT_TRUE(answered.has_value());
  EXPECT_EQ(answered->ending, Ending::kAnswered);
  EXPECT_EQ(answered->answer, "hello");
  const auto hung = run_isolated(limits, []() -> std::string {
    for (;;) pause();
  });
  EXPECT_EQ(hung->ending, Ending::kTimedOut);
  EXPECT_LT(hung->seconds, 5.0);
  const auto crashed = run_isolated(limits, []() -> std::string {
    raise(SIGKILL);
    return "x";
  });
  EXPECT_EQ(crashed->ending, Ending::kCrashed);
  EXPECT_NE(crashed->how.find("signal 9"), std::string::npos);
  const auto left = run_isolated(limits, []() -> std::string {
    fprintf(stderr, "last words\n");
    _exit(3);
  });
  EXPECT_EQ(left->ending, Ending::kCrashed);
  EXPECT_NE(left->output.find("last words"), std::string::npos);
}

}  // namespace
}  // namespace hal::conformance

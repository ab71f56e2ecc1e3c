// SPDX-License-Identifier: Apache-2.0
//
// Copy, fill and update: each against a model in host memory, with poison around the target, twice on the same handles
// with other data.
#include <cstring>

#include "cases.hpp"

namespace hal::conformance {
namespace {

constexpr char kCopyRules[] = "hal/queue.h: HAL_WORK_COPY";
constexpr char kFillRules[] = "hal/queue.h: HAL_WORK_FILL";
constexpr char kUpdateRules[] = "hal/queue.h: HAL_WORK_UPDATE";
constexpr uint64_t kMargin = 128;  // guard bytes on either side of a target

void expect_refused(Rig& rig, const hal_work_t* work, hal_status_code_t code, const std::string& what) {
  expect_code(rig.try_submit(rig.queue(), {work}, {}, {}), code, "queue.submit of " + what);
}

// ---- copy ----

void copy_once(Rig& rig, hal_buffer_t* source, hal_buffer_t* target, uint64_t from, uint64_t to, uint64_t length,
               uint64_t size, Random& random) {
  const Bytes bytes = random.bytes(size);
  Bytes expected(size, kGuard);
  rig.write(source, bytes);
  rig.write(target, expected);
  const hal_work_copy_t work = copy_work(range_of(source, from, length), range_of(target, to, length));
  rig.run({as_work(work)});
  std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(from), length, expected.begin() + static_cast<ptrdiff_t>(to));
  const std::string what = "a copy of " + std::to_string(length) + " bytes from offset " + std::to_string(from) +
                           " to " + std::to_string(to);
  expect_bytes(rig.read(target, 0, size), expected, what + ", target");
  expect_bytes(rig.read(source, 0, size), bytes, what + ", source");
}

void copy_of(Rig& rig, uint64_t length) {
  constexpr uint64_t offsets[][2] = {{0, 0}, {0, kMargin}, {1, 0}, {0, 1}, {3, 5}, {64, 32}, {kMargin, kMargin}};
  const uint64_t size = length + 2 * kMargin;
  const Buffer source = rig.buffer(size), target = rig.buffer(size);
  Random random = rig.context().random();
  for (const auto& [from, to] : offsets) copy_once(rig, source.get(), target.get(), from, to, length, size, random);
}

void copy_between_heaps(Rig& rig) {
  Random random = rig.context().random();
  for (uint32_t from = 0; from < rig.heaps().size(); from++) {
    for (uint32_t to = 0; to < rig.heaps().size(); to++) {
      const Buffer source = rig.buffer(3001, 0, from), target = rig.buffer(3001, 0, to);
      copy_once(rig, source.get(), target.get(), 5, 9, 2900, 3001, random);
      copy_once(rig, source.get(), target.get(), 0, 0, 3001, 3001, random);
    }
  }
}

void copy_whole(Rig& rig) {
  Random random = rig.context().random();
  const Bytes bytes = random.bytes(1000);
  const Buffer source = rig.buffer(1000), target = rig.buffer(1000);
  rig.write(source.get(), bytes);
  rig.write(target.get(), Bytes(1000, kPoison));
  const hal_work_copy_t work = copy_work(range_of(source.get(), 400), range_of(target.get(), 400));
  rig.run({as_work(work)});
  Bytes expected(1000, kPoison);
  std::copy(bytes.begin() + 400, bytes.end(), expected.begin() + 400);
  expect_bytes(rig.read(target.get(), 0, 1000), expected, "a copy with HAL_WHOLE_BUFFER from offset 400");
}

void copy_of_nothing(Rig& rig) {
  const Buffer source = rig.buffer(100), target = rig.buffer(100);
  rig.write(target.get(), Bytes(100, kPoison));
  const hal_work_copy_t work = copy_work(range_of(source.get(), 100, 0), range_of(target.get(), 50, 0));
  rig.run({as_work(work)});
  expect_bytes(rig.read(target.get(), 0, 100), Bytes(100, kPoison), "the target of a copy of 0 bytes");
}

void copy_within(Rig& rig) {
  Random random = rig.context().random();
  const Buffer buffer = rig.buffer(512);
  Bytes bytes = random.bytes(512);
  rig.write(buffer.get(), bytes);
  const hal_work_copy_t work = copy_work(range_of(buffer.get(), 0, 256), range_of(buffer.get(), 256, 256));
  rig.run({as_work(work)});
  std::copy_n(bytes.begin(), 256, bytes.begin() + 256);
  expect_bytes(rig.read(buffer.get(), 0, 512), bytes, "a copy inside one buffer, between ranges that only touch");
}

void copy_overlap(Rig& rig) {
  const Buffer buffer = rig.buffer(512);
  for (const uint64_t shift : {0u, 1u, 255u}) {
    const hal_work_copy_t work = copy_work(range_of(buffer.get(), 0, 256), range_of(buffer.get(), shift, 256));
    expect_refused(rig, as_work(work), HAL_STATUS_INVALID_ARGUMENT, "a copy whose ranges share bytes");
  }
}

void copy_lengths_differ(Rig& rig) {
  const Buffer source = rig.buffer(100), target = rig.buffer(100);
  const hal_work_copy_t work = copy_work(range_of(source.get(), 0, 10), range_of(target.get(), 0, 11));
  expect_refused(rig, as_work(work), HAL_STATUS_INVALID_ARGUMENT, "a copy of 10 bytes to 11");
}

constexpr uint64_t kOutside[][2] = {
    {0, 101}, {100, 1}, {101, 0}, {50, 51}, {UINT64_MAX, 2}, {2, UINT64_MAX - 1}, {101, HAL_WHOLE_BUFFER}};

void copy_out_of_range(Rig& rig) {
  const Buffer source = rig.buffer(100), target = rig.buffer(100), large = rig.buffer(1000);
  for (const auto& [offset, length] : kOutside) {
    const std::string what =
        "a copy of " + std::to_string(length) + " bytes at offset " + std::to_string(offset) + " of 100";
    const uint64_t other = length > 1000 ? HAL_WHOLE_BUFFER : length;
    const hal_work_copy_t read = copy_work(range_of(source.get(), offset, length), range_of(large.get(), 0, other));
    expect_refused(rig, as_work(read), HAL_STATUS_OUT_OF_RANGE, what + " (source)");
    const hal_work_copy_t write = copy_work(range_of(large.get(), 0, other), range_of(target.get(), offset, length));
    expect_refused(rig, as_work(write), HAL_STATUS_OUT_OF_RANGE, what + " (target)");
  }
}

// ---- 2-D copies ----

hal_work_copy_t rows_work(hal_buffer_t* source, hal_buffer_t* target, uint64_t row, uint64_t rows,
                          uint64_t source_pitch, uint64_t target_pitch) {
  hal_work_copy_t work = copy_work(range_of(source, 16, row), range_of(target, 32, row));
  work.rows = rows;
  work.source_pitch = source_pitch;
  work.target_pitch = target_pitch;
  return work;
}

void copy_rows(Rig& rig) {
  constexpr uint64_t shapes[][4] = {{8, 4, 16, 24},  {8, 4, 24, 16}, {7, 5, 7, 64},
                                    {64, 3, 64, 64}, {1, 9, 3, 2},   {33, 2, 100, 50}};
  Random random = rig.context().random();
  const Buffer source = rig.buffer(1024), target = rig.buffer(1024);
  for (const auto& [row, rows, source_pitch, target_pitch] : shapes) {
    const Bytes bytes = random.bytes(1024);
    Bytes expected(1024, kGuard);
    rig.write(source.get(), bytes);
    rig.write(target.get(), expected);
    const hal_work_copy_t work = rows_work(source.get(), target.get(), row, rows, source_pitch, target_pitch);
    rig.run({as_work(work)});
    for (uint64_t i = 0; i < rows; i++)
      std::copy_n(&bytes[16 + i * source_pitch], row, &expected[32 + i * target_pitch]);
    expect_bytes(rig.read(target.get(), 0, 1024), expected,
                 std::to_string(rows) + " rows of " + std::to_string(row) + " bytes, pitches " +
                     std::to_string(source_pitch) + " and " + std::to_string(target_pitch));
  }
}

void copy_rows_refused(Rig& rig) {
  const Buffer source = rig.buffer(1024), target = rig.buffer(1024);
  const hal_work_copy_t narrow = rows_work(source.get(), target.get(), 64, 4, 63, 64);
  expect_refused(rig, as_work(narrow), HAL_STATUS_INVALID_ARGUMENT, "rows of 64 bytes with a pitch of 63");
  const hal_work_copy_t tall = rows_work(source.get(), target.get(), 64, 17, 64, 64);
  expect_refused(rig, as_work(tall), HAL_STATUS_OUT_OF_RANGE, "17 rows in a buffer with room for 15");
  const hal_work_copy_t endless = rows_work(source.get(), target.get(), 64, UINT64_MAX, 64, 64);
  expect_refused(rig, as_work(endless), HAL_STATUS_OUT_OF_RANGE, "2^64-1 rows");
}

void copy_rows_unsupported(Rig& rig) {
  const Buffer source = rig.buffer(1024), target = rig.buffer(1024);
  const hal_work_copy_t work = rows_work(source.get(), target.get(), 8, 2, 16, 16);
  expect_refused(rig, as_work(work), HAL_STATUS_UNSUPPORTED, "a 2-D copy where COPY_2D is not declared");
}

// ---- fill ----

void fill_once(Rig& rig, hal_buffer_t* buffer, uint64_t offset, uint64_t length, uint32_t pattern_size,
               uint64_t pattern) {
  constexpr uint64_t size = 4096 + 512;
  Bytes expected(size, kGuard);
  rig.write(buffer, expected);
  const hal_work_fill_t work = fill_work(range_of(buffer, offset, length), pattern, pattern_size);
  rig.run({as_work(work)});
  for (uint64_t i = 0; i < length; i++)
    expected[offset + i] = static_cast<std::byte>(pattern >> (8 * (i % pattern_size)));
  expect_bytes(rig.read(buffer, 0, size), expected,
               "a fill of " + std::to_string(length) + " bytes at offset " + std::to_string(offset) +
                   " with a pattern of " + std::to_string(pattern_size));
}

void fill_of(Rig& rig, uint32_t pattern_size) {
  const Buffer buffer = rig.buffer(4096 + 512);
  Random random = rig.context().random();
  for (const uint64_t units : {1u, 2u, 3u, 7u, 15u, 16u, 17u, 63u, 65u, 511u, 512u}) {
    for (const uint64_t first : {0u, 1u, 5u}) {
      const uint64_t pattern = static_cast<uint64_t>(random.next()) << 32 | random.next();
      fill_once(rig, buffer.get(), first * pattern_size, units * pattern_size, pattern_size, pattern);
    }
  }
}

void fill_whole(Rig& rig) {
  const Buffer buffer = rig.buffer(1001);
  const hal_work_fill_t work = fill_work(range_of(buffer.get()), 0xFFFFFFFFFFFFFF42, 1);
  rig.run({as_work(work)});
  expect_bytes(rig.read(buffer.get(), 0, 1001), Bytes(1001, std::byte{0x42}), "a fill of the whole buffer");
}

void fill_large(Rig& rig) {
  constexpr uint64_t size = (8u << 20) + 4;
  const Buffer buffer = rig.buffer(size);
  const hal_work_fill_t work = fill_work(range_of(buffer.get()), 0x04030201, 4);
  rig.run({as_work(work)});
  Bytes expected(size);
  for (uint64_t i = 0; i < size; i++) expected[i] = static_cast<std::byte>(1 + i % 4);
  expect_bytes(rig.read(buffer.get(), 0, size), expected, "a fill of 8 MiB and 4 bytes");
}

void fill_pattern_size(Rig& rig) {
  const Buffer buffer = rig.buffer(48);
  for (const uint32_t size : {0u, 3u, 5u, 6u, 7u, 16u, UINT32_MAX}) {
    const hal_work_fill_t work = fill_work(range_of(buffer.get()), 0, size);
    expect_refused(rig, as_work(work), HAL_STATUS_INVALID_ARGUMENT, "a fill with pattern_size " + std::to_string(size));
  }
}

void fill_misaligned(Rig& rig) {
  const Buffer buffer = rig.buffer(64);
  for (const uint32_t size : {2u, 4u, 8u}) {
    const hal_work_fill_t offset = fill_work(range_of(buffer.get(), size / 2, size), 0, size);
    expect_refused(rig, as_work(offset), HAL_STATUS_INVALID_ARGUMENT,
                   "a fill at an offset that is no multiple of " + std::to_string(size));
    const hal_work_fill_t length = fill_work(range_of(buffer.get(), 0, size + size / 2), 0, size);
    expect_refused(rig, as_work(length), HAL_STATUS_INVALID_ARGUMENT,
                   "a fill of a length that is no multiple of " + std::to_string(size));
  }
}

void fill_out_of_range(Rig& rig) {
  const Buffer buffer = rig.buffer(100);
  for (const auto& [offset, length] : kOutside) {
    const hal_work_fill_t work = fill_work(range_of(buffer.get(), offset, length), 0, 1);
    expect_refused(rig, as_work(work), HAL_STATUS_OUT_OF_RANGE,
                   "a fill of " + std::to_string(length) + " bytes at offset " + std::to_string(offset) + " of 100");
  }
}

// ---- update ----

void update_of(Rig& rig, uint64_t length) {
  Random random = rig.context().random();
  const uint64_t size = length + 2 * kMargin;
  const Buffer buffer = rig.buffer(size);
  for (const uint64_t offset : {uint64_t{0}, uint64_t{1}, kMargin}) {
    Bytes expected(size, kGuard);
    const hal_work_fill_t poison = fill_work(range_of(buffer.get()), std::to_integer<uint64_t>(kGuard), 1);
    const Bytes bytes = random.bytes(length);
    const hal_work_update_t work = update_work(range_of(buffer.get(), offset, length), bytes.data());
    rig.run({as_work(poison), as_work(work)});
    std::copy(bytes.begin(), bytes.end(), expected.begin() + static_cast<ptrdiff_t>(offset));
    expect_bytes(rig.read(buffer.get(), 0, size), expected,
                 "an update of " + std::to_string(length) + " bytes at offset " + std::to_string(offset));
  }
}

// The bytes are taken at submit, not when the work runs.
void update_is_captured(Rig& rig) {
  Random random = rig.context().random();
  for (const uint64_t length : {1u, 16u, 63u, 64u, 4096u, 65536u}) {
    const Buffer buffer = rig.buffer(length);
    const Semaphore gate = rig.semaphore(), done = rig.semaphore();
    Bytes bytes = random.bytes(length);
    const Bytes expected = bytes;
    const hal_work_update_t work = update_work(range_of(buffer.get()), bytes.data());
    rig.submit({as_work(work)}, {{gate.get(), 1}}, {{done.get(), 1}});
    std::fill(bytes.begin(), bytes.end(), kPoison);
    expect_ok(hal_semaphore_signal(gate.get(), 1), "queue.semaphore_signal");
    rig.wait(done.get(), 1);
    expect_bytes(rig.read(buffer.get(), 0, length), expected, "an update whose source was overwritten after submit");
  }
}

void update_refused(Rig& rig) {
  const Buffer buffer = rig.buffer(70000);
  const Bytes bytes(70000);
  const hal_work_update_t null = update_work(range_of(buffer.get(), 0, 1), nullptr);
  expect_refused(rig, as_work(null), HAL_STATUS_INVALID_ARGUMENT, "an update without data");
  const hal_work_update_t outside = update_work(range_of(buffer.get(), 69999, 2), bytes.data());
  expect_refused(rig, as_work(outside), HAL_STATUS_OUT_OF_RANGE, "an update past the end");
  const hal_work_update_t large = update_work(range_of(buffer.get(), 0, 65537), bytes.data());
  expect_refused(rig, as_work(large), HAL_STATUS_OUT_OF_RANGE, "an update of 65,537 bytes");
}

}  // namespace

Cases transfer_cases() {
  Cases cases;
  for (const uint64_t size : {1u, 2u, 3u, 7u, 8u, 15u, 16u, 31u, 63u, 64u, 65u, 127u, 255u, 4095u, 4096u, 4097u, 65535u,
                              65537u, (1u << 20) + 3}) {
    cases.push_back(
        with_rig("copy.size_" + std::to_string(size), kCopyRules, [size](Rig& rig) { copy_of(rig, size); }));
  }
  for (const uint32_t size : {1u, 2u, 4u, 8u}) {
    cases.push_back(
        with_rig("memory.fill_pattern" + std::to_string(size), kFillRules, [size](Rig& rig) { fill_of(rig, size); }));
  }
  for (const uint64_t size : {1u, 3u, 64u, 1001u, 65535u, 65536u}) {
    cases.push_back(
        with_rig("update.size_" + std::to_string(size), kUpdateRules, [size](Rig& rig) { update_of(rig, size); }));
  }
  for (Case& item : Cases{
           with_rig("copy.between_heaps", kCopyRules, copy_between_heaps),
           with_rig("copy.whole", kCopyRules, copy_whole), with_rig("copy.of_nothing", kCopyRules, copy_of_nothing),
           with_rig("copy.within_a_buffer", kCopyRules, copy_within),
           negative(with_rig("copy.overlap", kCopyRules, copy_overlap)),
           negative(with_rig("copy.lengths_differ", kCopyRules, copy_lengths_differ)),
           negative(with_rig("copy.out_of_range", kCopyRules, copy_out_of_range)),
           needing(HAL_FEATURE_COPY_2D, with_rig("copy.rows", kCopyRules, copy_rows)),
           needing(HAL_FEATURE_COPY_2D, negative(with_rig("copy.rows_refused", kCopyRules, copy_rows_refused))),
           lacking(HAL_FEATURE_COPY_2D, negative(with_rig("copy.rows_unsupported", kCopyRules, copy_rows_unsupported))),
           with_rig("fill.whole", kFillRules, fill_whole), stress(0.1, with_rig("fill.large", kFillRules, fill_large)),
           negative(with_rig("fill.pattern_size", kFillRules, fill_pattern_size)),
           negative(with_rig("fill.misaligned", kFillRules, fill_misaligned)),
           negative(with_rig("fill.out_of_range", kFillRules, fill_out_of_range)),
           with_rig("update.is_captured", kUpdateRules, update_is_captured),
           negative(with_rig("update.refused", kUpdateRules, update_refused))}) {
    cases.push_back(std::move(item));
  }
  return cases;
}

}  // namespace hal::conformance

// SPDX-License-Identifier: Apache-2.0
//
// What the CPU claims: scalars that the instruction set has are native, 16-bit floats emulated, the rest none.
#include "harness.hpp"

namespace hal::test {
namespace {

hal_support_t ask(const Session& session, hal_dtype_t dtype, const char* name, hal_dtype_t accumulator = 0,
                  uint32_t layout = HAL_LAYOUT_ROW_MAJOR) {
  hal_support_query_t query = HAL_SUPPORT_QUERY_INIT;
  query.dtype = dtype;
  query.accumulator = accumulator;
  query.layout = layout;
  query.operator_name = view(name);
  hal_support_t support = 99;
  HAL_EXPECT_OK(hal_device_query_support(session.device(), &query, &support));
  return support;
}

TEST(Support, DependsOnDtypePrimitiveAndAccumulator) {
  const Session session;
  EXPECT_EQ(ask(session, HAL_DTYPE_F32, ""), HAL_SUPPORT_NATIVE);
  EXPECT_EQ(ask(session, HAL_DTYPE_BF16, ""), HAL_SUPPORT_EMULATED);
  EXPECT_EQ(ask(session, HAL_DTYPE_F8E4M3, ""), HAL_SUPPORT_NONE);
  EXPECT_EQ(ask(session, HAL_DTYPE_F32, "portable.exp"), HAL_SUPPORT_NATIVE);
  EXPECT_EQ(ask(session, HAL_DTYPE_F16, "portable.exp"), HAL_SUPPORT_EMULATED);
  EXPECT_EQ(ask(session, HAL_DTYPE_I32, "portable.exp"), HAL_SUPPORT_NONE);
  EXPECT_EQ(ask(session, HAL_DTYPE_I32, "portable.shl"), HAL_SUPPORT_NATIVE);
  EXPECT_EQ(ask(session, HAL_DTYPE_BOOL, "portable.not"), HAL_SUPPORT_NATIVE);
  EXPECT_EQ(ask(session, HAL_DTYPE_BOOL, "portable.add"), HAL_SUPPORT_NONE);
  EXPECT_EQ(ask(session, HAL_DTYPE_F32, "portable.contract", HAL_DTYPE_F64), HAL_SUPPORT_NATIVE);
  EXPECT_EQ(ask(session, HAL_DTYPE_F32, "portable.contract", HAL_DTYPE_I32), HAL_SUPPORT_NONE);
  EXPECT_EQ(ask(session, HAL_DTYPE_F32, "portable.ex"), HAL_SUPPORT_NONE);
  EXPECT_EQ(ask(session, HAL_DTYPE_F32, "portable."), HAL_SUPPORT_NONE);
  EXPECT_EQ(ask(session, HAL_DTYPE_F32, "portable.add", 0, 77), HAL_SUPPORT_NONE);
  EXPECT_EQ(ask(session, HAL_DTYPE_NONE, ""), HAL_SUPPORT_NONE);
}

TEST(Capabilities, DescribeTheMachine) {
  const Session session;
  const hal_device_caps_t caps = session.caps();
  EXPECT_NE(caps.features & HAL_FEATURE_EXECUTABLES, 0u);
  ASSERT_EQ(caps.format_count, 1u);
  EXPECT_EQ(text(caps.formats[0]), "elf-x86-64/1");
  EXPECT_EQ(text(caps.target).rfind("x86-64+", 0), 0u);
  ASSERT_GE(caps.compute_unit_count, 2u);
  EXPECT_EQ(caps.compute_units[0].input, HAL_DTYPE_F32);
  EXPECT_EQ(caps.compute_units[0].n, 2 * caps.compute_units[1].n) << "f64 has half the lanes of f32";
  ASSERT_GE(caps.cache_level_count, 1u);
  for (uint32_t i = 1; i < caps.cache_level_count; i++) {
    EXPECT_GT(caps.cache_levels[i].size, caps.cache_levels[i - 1].size);
  }
  EXPECT_EQ(caps.timestamp_bits, 0u);
}

TEST(Configuration, ThreadsAreANumber) {
  const Session session;
  const auto code = [&](const char* key, const char* value) {
    const hal_key_value_t item = {view(key), view(value)};
    hal_instance_desc_t desc = HAL_INSTANCE_DESC_INIT;
    desc.config = &item;
    desc.config_count = 1;
    hal_instance_t* instance = nullptr;
    const hal_status_code_t result = take(session.calls().device->initialize(&desc, &instance)).code;
    if (instance != nullptr) HAL_EXPECT_OK(session.calls().device->shutdown(instance));
    return result;
  };
  EXPECT_EQ(code("threads", "3"), HAL_STATUS_OK);
  EXPECT_EQ(code("pin", "1"), HAL_STATUS_OK);
  for (const char* value : {"", "-1", "many", "3x", "1025", "99999999999999999999"}) {
    EXPECT_EQ(code("threads", value), HAL_STATUS_INVALID_ARGUMENT) << value;
  }
  EXPECT_EQ(code("pin", "2"), HAL_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace hal::test

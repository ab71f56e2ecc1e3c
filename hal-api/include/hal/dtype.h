/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of element types. Everything that lists dtypes (compiler, interpreter, conformance, documents) is made
 * from HAL_DTYPE_TABLE. Codes are append-only.
 *
 * Row: X(code, NAME, text, kind, bits, exponent bits, mantissa bits)
 * Kinds: B boolean (one byte, 0 or 1), I signed integer (two's complement), U unsigned integer, F floating point,
 *        C complex (real, imaginary). Types under 8 bits are packed, lowest bits first.
 * Formats: f8e4m3 is the OCP FP8 "FN" kind (no infinity, maximum 448), f8e5m2 the IEEE-like one, *fnuz the kinds with
 *        one NaN and no negative zero; f4/f6 are the OCP Microscaling element types (MX v1.0).
 */
#ifndef HAL_DTYPE_H_
#define HAL_DTYPE_H_

#include "hal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HAL_DTYPE_TABLE(X)                  \
  X(1, BOOL, "bool", B, 8, 0, 0)            \
  X(2, I2, "i2", I, 2, 0, 0)                \
  X(3, I4, "i4", I, 4, 0, 0)                \
  X(4, I8, "i8", I, 8, 0, 0)                \
  X(5, I16, "i16", I, 16, 0, 0)             \
  X(6, I32, "i32", I, 32, 0, 0)             \
  X(7, I64, "i64", I, 64, 0, 0)             \
  X(8, U2, "u2", U, 2, 0, 0)                \
  X(9, U4, "u4", U, 4, 0, 0)                \
  X(10, U8, "u8", U, 8, 0, 0)               \
  X(11, U16, "u16", U, 16, 0, 0)            \
  X(12, U32, "u32", U, 32, 0, 0)            \
  X(13, U64, "u64", U, 64, 0, 0)            \
  X(14, F4E2M1, "f4e2m1", F, 4, 2, 1)       \
  X(15, F6E2M3, "f6e2m3", F, 6, 2, 3)       \
  X(16, F6E3M2, "f6e3m2", F, 6, 3, 2)       \
  X(17, F8E4M3, "f8e4m3", F, 8, 4, 3)       \
  X(18, F8E5M2, "f8e5m2", F, 8, 5, 2)       \
  X(19, F8E4M3FNUZ, "f8e4m3fnuz", F, 8, 4, 3) \
  X(20, F8E5M2FNUZ, "f8e5m2fnuz", F, 8, 5, 2) \
  X(21, F8E8M0, "f8e8m0", F, 8, 8, 0)       \
  X(22, BF16, "bf16", F, 16, 8, 7)          \
  X(23, F16, "f16", F, 16, 5, 10)           \
  X(24, F32, "f32", F, 32, 8, 23)           \
  X(25, F64, "f64", F, 64, 11, 52)          \
  X(26, C64, "c64", C, 64, 8, 23)           \
  X(27, C128, "c128", C, 128, 11, 52)

/* 0 is "no dtype". */
typedef uint32_t hal_dtype_t;
#define HAL_DTYPE_NONE 0u

#define HAL_DTYPE_ENUMERATOR_(code, NAME, text, kind, bits, exponent, mantissa) HAL_DTYPE_##NAME = code,
enum { HAL_DTYPE_TABLE(HAL_DTYPE_ENUMERATOR_) HAL_DTYPE_COUNT_PLUS_ONE_ };
#undef HAL_DTYPE_ENUMERATOR_
#define HAL_DTYPE_COUNT ((uint32_t)HAL_DTYPE_COUNT_PLUS_ONE_ - 1u)

#ifdef __cplusplus
}
#endif
#endif /* HAL_DTYPE_H_ */

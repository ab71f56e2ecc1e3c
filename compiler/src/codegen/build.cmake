# SPDX-License-Identifier: Apache-2.0
# LLVM and LLD are seen by this folder alone.
target_include_directories(hal_compiler SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(hal_compiler PRIVATE LLVM-19)

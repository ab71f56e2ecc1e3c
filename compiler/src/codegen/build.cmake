# SPDX-License-Identifier: Apache-2.0
# LLVM and LLD are seen by this folder alone.
find_library(LLD_ELF lldELF PATHS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
find_library(LLD_COMMON lldCommon PATHS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
find_package(ZLIB REQUIRED)
target_include_directories(hal_compiler SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(hal_compiler PRIVATE ${LLD_ELF} ${LLD_COMMON} LLVM-19 ZLIB::ZLIB zstd)
target_link_directories(hal_compiler PUBLIC ${LLVM_LIBRARY_DIRS})
hal_add_benchmark(compiler_gemm_bench SOURCES src/codegen/gemm_bench.cpp LINK hal_compiler)
if(TARGET compiler_gemm_bench)
  target_include_directories(compiler_gemm_bench PRIVATE src)
endif()

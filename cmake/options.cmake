# SPDX-License-Identifier: Apache-2.0
# The build's settings, all in one place. Presets set them: CMakePresets.json.

option(MORTISE_TESTS "Build the tests" ON)
option(MORTISE_BENCHMARKS "Build the benchmarks" ON)
option(MORTISE_FUZZERS "Build the libFuzzer targets (needs clang)" OFF)
option(MORTISE_WERROR "Warnings are errors" OFF)
set(MORTISE_SANITIZE "" CACHE STRING "Sanitizers for everything: address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# Where plugins and their manifests lie, below the library folder: the loader searches it beside libhal.
set(MORTISE_PLUGIN_SUBDIR mortise/plugins.d)
# The same for layers.
set(MORTISE_LAYER_SUBDIR mortise/layers.d)

find_program(MORTISE_CCACHE ccache)
if(MORTISE_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${MORTISE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MORTISE_CCACHE})
endif()

add_compile_options(-Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # A false alarm of gcc 12 on std::string's operator+ (gcc bug 105651).
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(MORTISE_WERROR)
  add_compile_options(-Werror)
endif()
if(MORTISE_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)  # coverage: without it libFuzzer is blind and stops
endif()
if(MORTISE_SANITIZE)
  add_compile_options(-fsanitize=${MORTISE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MORTISE_SANITIZE})
endif()

find_package(Threads REQUIRED)
if(MORTISE_TESTS)
  find_package(GTest REQUIRED)
endif()
if(MORTISE_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

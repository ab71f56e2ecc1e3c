# SPDX-License-Identifier: Apache-2.0
# How a target is made: a test, a benchmark, a fuzzer or a plugin. Libraries and programs use CMake's own commands.
include(GoogleTest)

# hal_add_test(NAME SOURCES... [LINK libs...]): a GoogleTest program; each of its cases is a ctest case.
function(hal_add_test name)
  if(NOT MORTISE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
endfunction()

# hal_add_benchmark(NAME SOURCES... [LINK libs...]): a Google Benchmark program. Never a ctest case: it is timed.
function(hal_add_benchmark name)
  if(NOT MORTISE_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} benchmark::benchmark)
endfunction()

# hal_add_fuzzer(NAME SOURCES... [LINK libs...]): a libFuzzer program (clang, MORTISE_FUZZERS=ON).
function(hal_add_fuzzer name)
  if(NOT MORTISE_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()

# hal_add_layer(NAME LAYER layer-name SOURCES... [LINK libs...] [NO_MANIFEST] [OUTPUT dir]): a layer library that exports
# one symbol, with its manifest beside it where the loader looks; switched off until someone names it.
function(hal_add_layer name)
  cmake_parse_arguments(ARG "NO_MANIFEST" "LAYER;OUTPUT" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${MORTISE_LAYER_SUBDIR})
  endif()
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE hal_api ${ARG_LINK})
  set(script ${PROJECT_SOURCE_DIR}/hal-api/layer.map)
  target_link_options(${name} PRIVATE -Wl,--version-script=${script} -Wl,--build-id -Wl,-z,defs)
  if(MORTISE_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,undefs)
  endif()
  set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME mortise_layer_${ARG_LAYER} LINK_DEPENDS ${script}
                                           LIBRARY_OUTPUT_DIRECTORY ${ARG_OUTPUT})
  if(NOT ARG_NO_MANIFEST)
    set(MORTISE_MANIFEST_NAME ${ARG_LAYER})
    set(MORTISE_MANIFEST_LIBRARY mortise_layer_${ARG_LAYER}.so)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/manifest.json.in ${ARG_OUTPUT}/${ARG_LAYER}.json @ONLY)
    set_property(GLOBAL APPEND PROPERTY MORTISE_LAYER_TARGETS ${name})  # what cmake/install.cmake installs
  endif()
endfunction()

# hal_add_plugin(NAME PLUGIN plugin-name SOURCES... [LINK libs...] [NO_MANIFEST] [OUTPUT dir]): a plugin library that
# exports one symbol and really unloads, with its manifest beside it where the loader looks.
function(hal_add_plugin name)
  cmake_parse_arguments(ARG "NO_MANIFEST" "PLUGIN;OUTPUT" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${MORTISE_PLUGIN_SUBDIR})
  endif()
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE hal_api ${ARG_LINK})
  set(script ${PROJECT_SOURCE_DIR}/hal-api/plugin.map)
  target_link_options(${name} PRIVATE -Wl,--version-script=${script} -Wl,--build-id -Wl,-z,defs)
  if(MORTISE_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,undefs)
  endif()
  set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME mortise_${ARG_PLUGIN} LINK_DEPENDS ${script}
                                           LIBRARY_OUTPUT_DIRECTORY ${ARG_OUTPUT})
  if(NOT ARG_NO_MANIFEST)
    set(MORTISE_MANIFEST_NAME ${ARG_PLUGIN})
    set(MORTISE_MANIFEST_LIBRARY mortise_${ARG_PLUGIN}.so)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/manifest.json.in ${ARG_OUTPUT}/${ARG_PLUGIN}.json @ONLY)
  endif()
  if(NOT ARG_NO_MANIFEST AND ARG_OUTPUT STREQUAL ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${MORTISE_PLUGIN_SUBDIR})
    set_property(GLOBAL APPEND PROPERTY MORTISE_PLUGIN_TARGETS ${name})  # what cmake/install.cmake installs
  endif()
endfunction()

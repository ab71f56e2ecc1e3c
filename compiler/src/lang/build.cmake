# SPDX-License-Identifier: Apache-2.0
# Embeds operators/**/*.op: a file that comes or goes is an operator that comes or goes.
file(GLOB_RECURSE operator_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/operators/*.op)
set(embedded ${CMAKE_CURRENT_BINARY_DIR}/builtin_texts.cpp)
list(JOIN operator_texts "\n" operator_list)
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/builtin_texts.list CONTENT "${operator_list}\n")
add_custom_command(OUTPUT ${embedded}
  COMMAND ${CMAKE_COMMAND} -DLIST=${CMAKE_CURRENT_BINARY_DIR}/builtin_texts.list -DROOT=${PROJECT_SOURCE_DIR}
          -DOUTPUT=${embedded} -P ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  DEPENDS ${operator_texts} ${CMAKE_CURRENT_BINARY_DIR}/builtin_texts.list ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  COMMENT "Embedding the operator library" VERBATIM)
target_sources(hal_compiler PRIVATE ${embedded})
if(TARGET compiler_lang_test)
  target_compile_definitions(compiler_lang_test PRIVATE MORTISE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()

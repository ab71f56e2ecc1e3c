# SPDX-License-Identifier: Apache-2.0
# program_generated.h from program.fbs.
find_program(FLATC flatc REQUIRED)
set(program_header ${CMAKE_CURRENT_BINARY_DIR}/program_generated.h)
add_custom_command(OUTPUT ${program_header}
  COMMAND ${FLATC} --cpp --scoped-enums --gen-mutable -o ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/src/program/program.fbs
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/program/program.fbs VERBATIM)
target_sources(hal_compiler PRIVATE ${program_header})

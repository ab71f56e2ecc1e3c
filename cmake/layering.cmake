# SPDX-License-Identifier: Apache-2.0
# A folder includes only what docs/architecture.md allows. The check runs with every build and as a test.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_custom_target(layering ALL
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_layering.py ${PROJECT_SOURCE_DIR}
  COMMENT "Checking who includes whom" VERBATIM)

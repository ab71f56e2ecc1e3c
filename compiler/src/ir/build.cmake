# SPDX-License-Identifier: Apache-2.0
if(TARGET compiler_ir_test)
  target_compile_definitions(compiler_ir_test PRIVATE MORTISE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()

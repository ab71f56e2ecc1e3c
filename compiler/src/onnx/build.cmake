# SPDX-License-Identifier: Apache-2.0
# ONNX's wire format by protobuf's small runtime; the generated header is seen as "onnx/onnx.pb.h".
set(onnx_folder ${CMAKE_CURRENT_BINARY_DIR}/onnx)
set(onnx_generated ${onnx_folder}/onnx.pb.cc ${onnx_folder}/onnx.pb.h)
file(MAKE_DIRECTORY ${onnx_folder})
add_custom_command(OUTPUT ${onnx_generated}
  COMMAND protobuf::protoc --cpp_out=${onnx_folder} --proto_path=${CMAKE_CURRENT_LIST_DIR} onnx.proto
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/onnx.proto VERBATIM)
set_source_files_properties(${onnx_generated} PROPERTIES COMPILE_OPTIONS -w)
target_sources(hal_compiler PRIVATE ${onnx_generated})
target_link_libraries(hal_compiler PRIVATE protobuf::libprotobuf-lite)
if(TARGET compiler_onnx_test)
  target_include_directories(compiler_onnx_test PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(compiler_onnx_test PRIVATE protobuf::libprotobuf-lite)
endif()

# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where, so that find_package(Mortise) works: headers, libhal, plugins with their manifests
# beside it (where it looks), and the tools. The tree may be moved: nothing in it holds an absolute path.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Mortise)

install(DIRECTORY hal-api/include/ loader/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# Libraries that a program links by find_package.
set(exported hal_api hal)
if(TARGET hal_sdk)
  list(APPEND exported hal_sdk)
endif()
install(TARGETS ${exported} EXPORT MortiseTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT MortiseTargets NAMESPACE Mortise:: DESTINATION ${package_folder})

# Libraries that only the tools need, where they are shared.
foreach(library hal_compiler hal_runtime)
  if(TARGET ${library})
    get_target_property(kind ${library} TYPE)
    if(kind STREQUAL "SHARED_LIBRARY")
      set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN")
      install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
    endif()
  endif()
endforeach()

# Every plugin that the build tree has with a manifest (hal_add_plugin).
get_property(plugins GLOBAL PROPERTY MORTISE_PLUGIN_TARGETS)
foreach(plugin ${plugins})
  get_target_property(library ${plugin} OUTPUT_NAME)
  string(REGEX REPLACE "^mortise_" "" name ${library})
  install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${MORTISE_PLUGIN_SUBDIR})
  install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${MORTISE_PLUGIN_SUBDIR}/${name}.json
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/${MORTISE_PLUGIN_SUBDIR})
endforeach()

# The layers, in the same way (hal_add_layer).
get_property(layers GLOBAL PROPERTY MORTISE_LAYER_TARGETS)
foreach(layer ${layers})
  get_target_property(library ${layer} OUTPUT_NAME)
  string(REGEX REPLACE "^mortise_layer_" "" name ${library})
  install(TARGETS ${layer} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${MORTISE_LAYER_SUBDIR})
  install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${MORTISE_LAYER_SUBDIR}/${name}.json
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/${MORTISE_LAYER_SUBDIR})
endforeach()

foreach(tool hal-info hal-compile hal-run hal-conformance hal-replay)
  if(TARGET ${tool})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

configure_package_config_file(cmake/MortiseConfig.cmake.in ${CMAKE_BINARY_DIR}/MortiseConfig.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/MortiseConfigVersion.cmake COMPATIBILITY SameMajorVersion)
# For plain makefiles: pkg-config --cflags --libs mortise.
cmake_path(SET pc_folder NORMALIZE ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix ${pc_folder} ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/mortise.pc.in ${CMAKE_BINARY_DIR}/mortise.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/mortise.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The reference of the C ABI, made from the headers.
add_custom_target(reference ALL COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/make_reference.py
                                        ${CMAKE_BINARY_DIR}/reference
                  COMMENT "Reference pages from the headers: ${CMAKE_BINARY_DIR}/reference")
install(DIRECTORY ${CMAKE_BINARY_DIR}/reference DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
if(MORTISE_TESTS)
  add_test(NAME abi_reference COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/make_reference.py --check
                                      ${PROJECT_SOURCE_DIR}/hal-api/abi/hal-1.0.golden)
endif()

install(FILES ${CMAKE_BINARY_DIR}/MortiseConfig.cmake ${CMAKE_BINARY_DIR}/MortiseConfigVersion.cmake
              hal-api/plugin.map hal-api/layer.map DESTINATION ${package_folder})

# SPDX-License-Identifier: Apache-2.0
# The proof that the ABI is real: Mortise is installed; one plugin source is compiled as C99 by two compilers, and a host
# is built, each knowing the installed package alone; then both plugins, and the installed ones, do work in one process.
#   cmake -DBUILD=... -DSOURCE=... -DEXPECTED="cpu:0;..." -DSANITIZE=... -P installed_package_test.cmake
set(work ${BUILD}/installed_package_test)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE} -fno-sanitize-recover=all")
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# The installed tree must not lean on the build tree: it is moved before it is used.
file(RENAME ${prefix} ${work}/moved)
set(prefix ${work}/moved)

file(GLOB libraries ${prefix}/lib*)
list(GET libraries 0 library_folder)
set(plugins "")
foreach(compiler gcc clang)
  # A sanitizer's runtime is one compiler's own: a plugin without it still loads.
  run(${compiler} -std=c99 -pedantic -Wall -Wextra -Werror -O2 -fPIC -shared -I${prefix}/include
      -DZOO_NAME="zoo-${compiler}" -Wl,--version-script=${library_folder}/cmake/Mortise/plugin.map -Wl,-z,defs
      -o ${work}/${compiler}.so ${SOURCE}/loader/tests/zoo/good.c)
  list(APPEND plugins ${work}/${compiler}.so)
endforeach()

run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/examples/list_devices -B ${work}/host -DCMAKE_PREFIX_PATH=${prefix}
    "-DCMAKE_C_FLAGS=${flags}")
run(${CMAKE_COMMAND} --build ${work}/host)
run(${CMAKE_COMMAND} -E env --unset=MORTISE_PLUGIN_PATH --unset=MORTISE_PLUGIN_ADD --unset=MORTISE_PLUGIN_FILTER
    XDG_CONFIG_HOME=${work} ${work}/host/list_devices ${plugins})
message("${output}")
foreach(device zoo-gcc:0 zoo-clang:0 ${EXPECTED})
  if(NOT output MATCHES "${device}  [^\n]*  fill and copy: right")
    message(FATAL_ERROR "${device} is not there, or its work is wrong:\n${output}")
  endif()
endforeach()
# A third party's layer, built against the installed package, over the plugins.
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/examples/layer -B ${work}/layer -DCMAKE_PREFIX_PATH=${prefix}
    "-DCMAKE_C_FLAGS=${flags}")
run(${CMAKE_COMMAND} --build ${work}/layer)
run(${CMAKE_COMMAND} -E env XDG_CONFIG_HOME=${work} MORTISE_LAYERS=${work}/layer/mortise_layer_count.so
    ${work}/host/list_devices ${plugins})
if(NOT output MATCHES "count: zoo-gcc: [1-9][0-9]* buffers, [1-9][0-9]* submits, [1-9][0-9]* works, [1-9][0-9]* bytes")
  message(FATAL_ERROR "the layer counted nothing:\n${output}")
endif()
# A plain C program, by pkg-config alone.
find_program(pkg_config pkg-config)
if(pkg_config AND NOT SANITIZE)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${library_folder}/pkgconfig ${pkg_config} --cflags --libs mortise)
  separate_arguments(words UNIX_COMMAND "${output}")
  run(cc -std=c99 -Wall -Wextra -Werror ${SOURCE}/examples/list_devices/list_devices.c -o ${work}/plain ${words})
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${library_folder} XDG_CONFIG_HOME=${work} ${work}/plain ${plugins})
  if(NOT output MATCHES "zoo-gcc:0  [^\n]*  fill and copy: right")
    message(FATAL_ERROR "the program that pkg-config built finds nothing:\n${output}")
  endif()
endif()
run(${prefix}/bin/hal-info --version)
if(NOT output MATCHES "^hal-info [0-9]+\\.[0-9]+\\.[0-9]+\n$")
  message(FATAL_ERROR "hal-info --version said: ${output}")
endif()

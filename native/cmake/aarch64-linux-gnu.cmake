# Toolchain for arm64 Linux with Debian's cross compiler (g++-aarch64-linux-gnu). Programs run in qemu's user mode; the
# variable QEMU_CPU chooses the processor. native/targets.mjs and test/emulated.mjs use it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
# CC and CXX may name another version of it, but often name the host's compiler.
foreach(language C:CC:gcc CXX:CXX:g++)
  string(REPLACE ":" ";" language "${language}")
  list(POP_FRONT language name variable program)
  if("$ENV{${variable}}" MATCHES "^aarch64-linux-gnu-")
    set(CMAKE_${name}_COMPILER "$ENV{${variable}}")
  else()
    set(CMAKE_${name}_COMPILER "aarch64-linux-gnu-${program}")
  endif()
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
# Libraries and headers are those of the target. Programs, such as git, are the host's.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()

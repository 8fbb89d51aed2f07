# inkling_precompile_standard_library(target): the C++ sources of a target read the headers of the standard library once,
# not once each, which saves a third of a build's time and takes 94 MB. For targets of many sources. A source still names
# what it uses: clang-tidy compiles ours without this.
function(inkling_precompile_standard_library target)
  foreach(name algorithm array atomic chrono cmath cstdint cstring exception filesystem fstream functional future iostream
      limits map memory mutex numeric optional random set sstream stdexcept string string_view thread utility vector)
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${name}$<ANGLE-R>>")
  endforeach()
endfunction()

# Whether several sources are compiled as one: where nobody compiles after each change. That takes a third of the processor
# time or less. Only on Linux, since Windows' headers define names of their own.
set(INKLING_JOINS_SOURCES OFF)
if(INKLING_SANITIZE OR INKLING_FUZZ
    OR (DEFINED ENV{CI} AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT CMAKE_CROSSCOMPILING))
  set(INKLING_JOINS_SOURCES ON)
endif()

# inkling_join_sources(target): no two of its sources may give one name to different things.
function(inkling_join_sources target)
  if(INKLING_JOINS_SOURCES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

# inkling_join_tests(target): the same for test files, each in a namespace of its own. Their headers come before. Call it
# behind all sources.
function(inkling_join_tests target)
  if(NOT INKLING_JOINS_SOURCES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "_test\\.cpp$")
  set(headers "")
  foreach(source IN LISTS sources)
    get_property(is_apart SOURCE "${source}" PROPERTY SKIP_UNITY_BUILD_INCLUSION)
    get_property(folders SOURCE "${source}" PROPERTY INCLUDE_DIRECTORIES)
    if(NOT is_apart AND NOT folders)
      file(STRINGS "${source}" lines REGEX "^#include ")
      list(APPEND headers ${lines})
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}_headers.h")
  file(CONFIGURE OUTPUT "${file}" CONTENT "#pragma once\n${headers}\n" @ONLY)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8
    UNITY_BUILD_UNIQUE_ID INKLING_TEST_FILE
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#include \"${file}\"\nnamespace INKLING_TEST_FILE {"
    UNITY_BUILD_CODE_AFTER_INCLUDE "}")
endfunction()

# inkling_launch_compilers_with(ccache): ccache keeps sources with precompiled headers only if it is told that these use no
# macros of the time, which it cannot see, and if GCC names the headers in what it preprocesses.
macro(inkling_launch_compilers_with ccache)
  foreach(language C CXX)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${ccache}")
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endmacro()

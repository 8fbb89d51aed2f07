# inkling_precompile_standard_library(target...): the C++ sources of these targets read the headers of the standard library
# once for each target, not once for each source, which halves their time. A source still names what it uses: clang-tidy
# compiles ours without this.
function(inkling_precompile_standard_library)
  set(headers "")
  foreach(name algorithm array atomic chrono cmath cstdint cstring exception filesystem fstream functional future iostream
      limits map memory mutex numeric optional random set sstream stdexcept string string_view thread utility vector)
    list(APPEND headers "$<$<COMPILE_LANGUAGE:CXX>:<${name}$<ANGLE-R>>")
  endforeach()
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} PRIVATE ${headers})
  endforeach()
endfunction()

# inkling_launch_compilers_with(ccache): a compiler cache also keeps sources with precompiled headers, which it does not
# by itself, as it cannot see what a macro of the time was.
macro(inkling_launch_compilers_with ccache)
  foreach(language C CXX)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${ccache}")
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endmacro()

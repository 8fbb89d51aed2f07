# Adds the target `llama-server`, for tests of remote servers only. It reuses the objects of llama and ggml that the
# addon links, so a build compiles only the rest. No other target builds it.

# Call this before llama.cpp is added.
function(inkling_prepare_llama_server)
  foreach(part COMMON TOOLS SERVER)
    set(LLAMA_BUILD_${part} ON CACHE BOOL "" FORCE)
  endforeach()
  # Builds nothing that needs a network, neither during the build nor at run time.
  foreach(option OPENSSL BUILD_UI USE_PREBUILT_UI)
    set(LLAMA_${option} OFF CACHE BOOL "" FORCE)
  endforeach()
endfunction()

# Call this after llama.cpp is added. No test needs this code to be fast, so a short compile time matters more. The
# compiler does not optimize, and reads headers once for many small files.
function(inkling_lighten_llama_server)
  foreach(target llama-common llama-common-base mtmd server-context llama-server-impl llama-server cpp-httplib)
    if(NOT MSVC)
      target_compile_options(${target} PRIVATE -O0)
    endif()
  endforeach()
  set_target_properties(llama-common mtmd PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  # These files define what others of their target use or define too, so they stay out of the unity build.
  set_source_files_properties("${INKLING_LLAMA_SOURCE}/common/json.cpp" TARGET_DIRECTORY llama-common PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  foreach(source mtmd mtmd-audio mtmd-image mtmd-helper mtmd-helper-gen clip)
    set_source_files_properties("${INKLING_LLAMA_SOURCE}/tools/mtmd/${source}.cpp" TARGET_DIRECTORY mtmd PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

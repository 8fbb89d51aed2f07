# For tests only: the target `llama-server`, which the tests of engines on other machines talk to. It is made from the
# objects of llama and ggml that the addon is made from, so that it costs the rest only; nothing builds it unasked.

# Before llama.cpp is brought in.
function(inkling_prepare_llama_server)
  foreach(part COMMON TOOLS SERVER)
    set(LLAMA_BUILD_${part} ON CACHE BOOL "" FORCE)
  endforeach()
  # Nothing that needs a network, neither while it is built nor while it runs.
  foreach(option OPENSSL BUILD_UI USE_PREBUILT_UI)
    set(LLAMA_${option} OFF CACHE BOOL "" FORCE)
  endforeach()
endfunction()

# Behind it. Of what is compiled here nothing is slow where a test would notice, and the compiler's own time counts: it
# does not optimize, and reads headers once for many small files.
function(inkling_lighten_llama_server)
  foreach(target llama-common llama-common-base mtmd server-context llama-server-impl llama-server cpp-httplib)
    if(NOT MSVC)
      target_compile_options(${target} PRIVATE -O0)
    endif()
  endforeach()
  set_target_properties(llama-common mtmd PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  # These define what others of them have used, or define too.
  set_source_files_properties("${INKLING_LLAMA_SOURCE}/common/json.cpp" TARGET_DIRECTORY llama-common PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  foreach(source mtmd mtmd-audio mtmd-image mtmd-helper mtmd-helper-gen clip)
    set_source_files_properties("${INKLING_LLAMA_SOURCE}/tools/mtmd/${source}.cpp" TARGET_DIRECTORY mtmd PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

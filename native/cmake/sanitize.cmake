# INKLING_SANITIZE runs the ctest suite under a sanitizer, at a cost that CI can pay.
#
# address: instruments everything, llama.cpp too, to find an array of ours that is too short for llama.cpp. Only our own
# code is checked for undefined behaviour.
#
# thread: instruments our code and the files of ggml's CPU backend where its threads meet (the pool, its barrier, our
# kernels). The rest of llama.cpp is compiled as for the addon. It runs on the one calling thread, and its kernels run
# between two barriers. With instrumentation it would take twenty times as long.

# Call this before llama.cpp is added.
macro(inkling_prepare_sanitizer)
  if(NOT INKLING_SANITIZE MATCHES "^(address|thread)$")
    message(FATAL_ERROR "INKLING_SANITIZE is '${INKLING_SANITIZE}'; it takes address or thread")
  endif()
  set(CMAKE_BUILD_TYPE Sanitize)
  set(inkling_sanitize_flags -O1 -g1 -fno-omit-frame-pointer -fsanitize=${INKLING_SANITIZE})
  if(INKLING_SANITIZE STREQUAL "address")
    add_compile_options(${inkling_sanitize_flags})
    add_link_options(-fsanitize=address,undefined)
  else()
    # These are the flags of Release, so that a compiler cache has the objects of the addon.
    foreach(language C CXX)
      set(CMAKE_${language}_FLAGS_SANITIZE "${CMAKE_${language}_FLAGS_RELEASE}")
    endforeach()
    add_link_options(-fsanitize=thread)
  endif()
endmacro()

# Call this after llama.cpp is added. It applies to the following targets, which are ours.
macro(inkling_sanitize_our_own)
  if(INKLING_SANITIZE STREQUAL "address")
    # Quantizing the test models takes most of the time without optimization.
    foreach(target ggml-base ggml-cpu)
      target_compile_options(${target} PRIVATE -O2)
    endforeach()
    add_compile_options(-fsanitize=undefined -fno-sanitize-recover=undefined)
  else()
    get_target_property(inkling_ggml_dir ggml-cpu SOURCE_DIR)
    get_target_property(inkling_meeting_sources ggml-cpu SOURCES)
    list(FILTER inkling_meeting_sources INCLUDE REGEX "/(ggml-cpu\\.c|few_rows\\.cpp)$")
    list(TRANSFORM inkling_meeting_sources PREPEND "${inkling_ggml_dir}/" REGEX "^[^/]")
    set_source_files_properties(${inkling_meeting_sources} TARGET_DIRECTORY ggml-cpu
      PROPERTIES COMPILE_OPTIONS "${inkling_sanitize_flags}")
    set(CMAKE_C_FLAGS_SANITIZE "")
    set(CMAKE_CXX_FLAGS_SANITIZE "")
    add_compile_options(${inkling_sanitize_flags})
  endif()
endmacro()

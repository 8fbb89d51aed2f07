# INKLING_SANITIZE: the ctest suite under a sanitizer, at a cost that CI can pay.
#
# address: everything is instrumented, llama.cpp too, so that an array of ours that is too short for it is found; what
# behaviour is undefined is looked at in our own code only.
#
# thread: our code and those files of ggml's CPU backend in which its threads meet (the pool, its barrier, our kernels).
# All else of llama.cpp is compiled as for the addon: it runs on the one thread that calls it, its kernels between two
# barriers, and instrumented it would take twenty times as long.

# Before llama.cpp is brought in.
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
    # Release's own flags, so that a compiler cache has the objects of the addon.
    foreach(language C CXX)
      set(CMAKE_${language}_FLAGS_SANITIZE "${CMAKE_${language}_FLAGS_RELEASE}")
    endforeach()
    add_link_options(-fsanitize=thread)
  endif()
endmacro()

# Behind it; for what comes from here on, which is ours.
macro(inkling_sanitize_our_own)
  if(INKLING_SANITIZE STREQUAL "address")
    # Test models are made by quantizing them, which takes most of the time otherwise.
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

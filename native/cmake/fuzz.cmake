# INKLING_FUZZ builds the coverage-guided fuzz targets of test/native/fuzz with clang's libFuzzer.
#
# Our engine is instrumented, and of llama.cpp only what reads hostile bytes: the GGUF reader and the tokenizer. The rest
# is compiled without instrumentation, so that the build is short and the targets are fast.

# Call this before llama.cpp is added.
macro(inkling_prepare_fuzzing)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "INKLING_FUZZ needs clang: -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++")
  endif()
  set(CMAKE_BUILD_TYPE Fuzz)
  foreach(language C CXX)
    set(CMAKE_${language}_FLAGS_FUZZ "-O1 -g1")
  endforeach()
  set(inkling_fuzz_flags -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address)
endmacro()

# Call this after llama.cpp is added. It applies to the following targets, which are ours.
macro(inkling_instrument_for_fuzzing)
  inkling_instrument_sources(ggml-base "/?gguf\\.cpp$")
  inkling_instrument_sources(llama "/?(llama-vocab|unicode)\\.cpp$")
  add_compile_options(${inkling_fuzz_flags} -fsanitize=undefined -fno-sanitize-recover=undefined)
endmacro()

macro(inkling_instrument_sources target pattern)
  get_target_property(inkling_fuzz_dir ${target} SOURCE_DIR)
  get_target_property(inkling_fuzz_sources ${target} SOURCES)
  list(FILTER inkling_fuzz_sources INCLUDE REGEX "${pattern}")
  if(NOT inkling_fuzz_sources)
    message(FATAL_ERROR "${target} has no source ${pattern} to instrument")
  endif()
  list(TRANSFORM inkling_fuzz_sources PREPEND "${inkling_fuzz_dir}/" REGEX "^[^/]")
  set_source_files_properties(${inkling_fuzz_sources} TARGET_DIRECTORY ${target}
    PROPERTIES COMPILE_OPTIONS "${inkling_fuzz_flags}")
endmacro()

# INKLING_FUZZ builds the coverage-guided fuzz targets of test/native/fuzz with clang's libFuzzer. Our engine is
# instrumented, and of llama.cpp what reads hostile bytes: the GGUF reader and the tokenizer.

# Call this before llama.cpp is added.
macro(inkling_prepare_fuzzing)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "INKLING_FUZZ needs clang: -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++")
  endif()
  set(CMAKE_BUILD_TYPE Fuzz)
  set(inkling_fuzz_flags -O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address)
endmacro()

# Call this after llama.cpp is added. It applies to the following targets, which are ours.
macro(inkling_instrument_for_fuzzing)
  inkling_instrument(ggml-base "/?gguf\\.cpp$" ${inkling_fuzz_flags})
  inkling_instrument(llama "/?(llama-vocab|unicode)\\.cpp$" ${inkling_fuzz_flags})
  add_compile_options(${inkling_fuzz_flags} -fsanitize=undefined -fno-sanitize-recover=undefined)
endmacro()

# Adds llama.cpp as static libraries, without its tools, and the AVX-512 flavour of ggml's CPU backend.

if(NOT INKLING_LLAMA_DIR)
  execute_process(
    COMMAND node "${CMAKE_SOURCE_DIR}/native/fetch-llama.mjs"
    OUTPUT_VARIABLE INKLING_LLAMA_FETCHED
    OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE INKLING_FETCH_RESULT)
  if(NOT INKLING_FETCH_RESULT EQUAL 0)
    message(FATAL_ERROR "native/fetch-llama.mjs failed. Set INKLING_LLAMA_DIR to build from your own llama.cpp checkout.")
  endif()
  set(INKLING_LLAMA_SOURCE "${INKLING_LLAMA_FETCHED}")
else()
  set(INKLING_LLAMA_SOURCE "${INKLING_LLAMA_DIR}")
endif()

set(BUILD_SHARED_LIBS OFF)
foreach(part COMMON TESTS TOOLS EXAMPLES SERVER APP)
  set(LLAMA_BUILD_${part} OFF CACHE BOOL "" FORCE)
endforeach()
set(GGML_OPENMP OFF CACHE BOOL "" FORCE)
set(GGML_BLAS OFF CACHE BOOL "" FORCE)
# Never uses the build machine's own instruction set. On a virtual machine that advertises AMX, the first decode
# crashes.
set(GGML_NATIVE OFF CACHE BOOL "" FORCE)
if(APPLE)
  set(GGML_METAL ON CACHE BOOL "" FORCE)
  set(GGML_METAL_EMBED_LIBRARY ON CACHE BOOL "" FORCE)
endif()

if(INKLING_LLAMA_SERVER)
  include(native/cmake/llama-server.cmake)
  inkling_prepare_llama_server()
endif()

add_subdirectory("${INKLING_LLAMA_SOURCE}" "${CMAKE_BINARY_DIR}/llama.cpp" EXCLUDE_FROM_ALL SYSTEM)

if(INKLING_LLAMA_SERVER)
  inkling_lighten_llama_server()
endif()

include(native/cmake/patched-ggml.cmake)
inkling_patch_ggml(ggml-cpu INKLING_PATCH_DEFINITIONS)

# x86-64: ggml's default without GGML_NATIVE is SSE4.2 to AVX2 with FMA, F16C and BMI2. The second flavour is the same
# target again with AVX-512. Everything above ggml-cpu is compiled once. One flavour is enough where llama.cpp is also
# built for a GPU (-DGGML_CUDA=ON, see CONTRIBUTING.md).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND NOT APPLE AND NOT MSVC
   AND NOT GGML_CUDA AND NOT GGML_VULKAN)
  set(INKLING_X86_FLAVOURS ON)
  get_target_property(ggml_cpu_source_dir ggml-cpu SOURCE_DIR)
  get_target_property(ggml_cpu_sources ggml-cpu SOURCES)
  list(TRANSFORM ggml_cpu_sources PREPEND "${ggml_cpu_source_dir}/" REGEX "^[^/]")
  add_library(ggml-cpu-avx512 STATIC EXCLUDE_FROM_ALL ${ggml_cpu_sources})
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES LINK_LIBRARIES)
    get_target_property(value ggml-cpu ${property})
    if(value)
      set_target_properties(ggml-cpu-avx512 PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  # The target's properties do not include the definitions of ggml's own folder, such as _GNU_SOURCE.
  get_directory_property(ggml_definitions DIRECTORY "${ggml_cpu_source_dir}" COMPILE_DEFINITIONS)
  target_compile_definitions(ggml-cpu-avx512 PRIVATE ${ggml_definitions})
  target_compile_options(ggml-cpu-avx512 PRIVATE
    -mavx512f -mavx512cd -mavx512vl -mavx512dq -mavx512bw -mavx512vbmi -mavx512vnni -mavx512bf16
    # GCC 12 warns 800 times of uninitialised values inside its own AVX-512 headers (GCC bug 105593).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized -Wno-maybe-uninitialized>)
  target_compile_definitions(ggml-cpu-avx512 PRIVATE
    GGML_AVX512 GGML_AVX512_VBMI GGML_AVX512_VNNI GGML_AVX512_BF16)
else()
  set(INKLING_X86_FLAVOURS OFF)
endif()

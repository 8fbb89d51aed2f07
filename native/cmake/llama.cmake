# Adds llama.cpp as static libraries, without its tools, and the fast flavour of ggml's CPU backend.

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
# ggml's own choice for x86-64, which it does not make for a cross compiler.
foreach(set SSE42 AVX AVX2 BMI2 FMA F16C)
  set(GGML_${set} ON CACHE BOOL "" FORCE)
endforeach()
# ggml's fast Metal kernels need the matrix instructions of Apple's own GPUs, which no Mac with an Intel processor has.
# llama.cpp's own releases leave Metal out there too.
set(GGML_METAL OFF)
if(APPLE AND CMAKE_SYSTEM_PROCESSOR STREQUAL "arm64")
  set(GGML_METAL ON)
endif()
set(GGML_METAL ${GGML_METAL} CACHE BOOL "" FORCE)
set(GGML_METAL_EMBED_LIBRARY ${GGML_METAL} CACHE BOOL "" FORCE)

if(INKLING_LLAMA_SERVER)
  include(native/cmake/llama-server.cmake)
  inkling_prepare_llama_server()
endif()

add_subdirectory("${INKLING_LLAMA_SOURCE}" "${CMAKE_BINARY_DIR}/llama.cpp" EXCLUDE_FROM_ALL SYSTEM)

# A failed assertion may throw through ggml's C (native/engine/llama/assertion_guard.cpp).
target_compile_options(ggml-base PRIVATE $<$<COMPILE_LANG_AND_ID:C,GNU,Clang,AppleClang>:-fexceptions>)

if(INKLING_LLAMA_SERVER)
  inkling_lighten_llama_server()
endif()

# What our engine links.
add_library(inkling_llama INTERFACE)
if(NOT INKLING_SANITIZE AND NOT INKLING_FUZZ)
  target_link_libraries(inkling_llama INTERFACE llama ggml)
endif()

# inkling_copy_compile_properties(FROM TO): TO compiles its sources as FROM, a target of llama.cpp, does.
function(inkling_copy_compile_properties from to)
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES LINK_LIBRARIES)
    get_target_property(value ${from} ${property})
    if(value)
      set_target_properties(${to} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  # The target's properties do not include the definitions of its own folder, such as _GNU_SOURCE.
  get_target_property(folder ${from} SOURCE_DIR)
  get_directory_property(definitions DIRECTORY "${folder}" COMPILE_DEFINITIONS)
  target_compile_definitions(${to} PRIVATE ${definitions})
endfunction()

include(native/cmake/patched-ggml.cmake)
inkling_patch_llama(INKLING_PATCH_DEFINITIONS INKLING_CALLED_KERNELS)

# One processor family has two flavours: the plain one, which every supported processor of the family runs, and a fast
# one with more instructions. The plain one is the target ggml-cpu, as ggml makes it without GGML_NATIVE. The fast one is
# the same target again with more compiler flags. Everything above ggml-cpu is compiled once.
#   x86-64        avx2 (SSE4.2 to AVX2 with FMA, F16C and BMI2), and avx512 but on macOS: no Mac has all of it
#   arm64 Linux   arm64 (ARMv8.0, as the Cortex-A72 has it), and dotprod, as the Neoverse N1 has it
# No flavour has ARM's i8mm or SVE: their kernels take two rows at a time and round them otherwise (llama/context.cpp).
# A Mac with Apple's own processor has one build: the compiler's default there is the M1, which has dot products. One is
# also enough where llama.cpp is built for a GPU (-DGGML_CUDA=ON, see test/README.md). Vulkan is a further flavour
# (vulkan.cmake).
if(MSVC OR GGML_METAL OR GGML_CUDA OR GGML_VULKAN)
  set(INKLING_FLAVOURS "")
elseif(APPLE)
  set(INKLING_FLAVOURS avx2)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(INKLING_FLAVOURS avx2 avx512)
  set(inkling_fast_options
    -mavx512f -mavx512cd -mavx512vl -mavx512dq -mavx512bw -mavx512vbmi -mavx512vnni -mavx512bf16
    # GCC 12 warns 800 times of uninitialised values inside its own AVX-512 headers (GCC bug 105593).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized -Wno-maybe-uninitialized>)
  set(inkling_fast_definitions GGML_AVX512 GGML_AVX512_VBMI GGML_AVX512_VNNI GGML_AVX512_BF16)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$" AND NOT GGML_CPU_ARM_ARCH)
  set(INKLING_FLAVOURS arm64 dotprod)
  set(inkling_fast_options -march=armv8.2-a+dotprod)
  set(inkling_fast_definitions "")
else()
  set(INKLING_FLAVOURS "")
endif()

if(INKLING_FLAVOURS)
  list(GET INKLING_FLAVOURS 0 INKLING_PLAIN_FLAVOUR)
endif()
list(LENGTH INKLING_FLAVOURS inkling_flavour_count)
if(inkling_flavour_count EQUAL 2)
  list(GET INKLING_FLAVOURS 1 INKLING_FAST_FLAVOUR)
  set(INKLING_FAST_GGML ggml-cpu-${INKLING_FAST_FLAVOUR})
  get_target_property(ggml_cpu_source_dir ggml-cpu SOURCE_DIR)
  get_target_property(ggml_cpu_sources ggml-cpu SOURCES)
  list(TRANSFORM ggml_cpu_sources PREPEND "${ggml_cpu_source_dir}/" REGEX "^[^/]")
  add_library(${INKLING_FAST_GGML} STATIC EXCLUDE_FROM_ALL ${ggml_cpu_sources})
  inkling_copy_compile_properties(ggml-cpu ${INKLING_FAST_GGML})
  target_compile_definitions(${INKLING_FAST_GGML} PRIVATE ${inkling_fast_definitions})
  target_compile_options(${INKLING_FAST_GGML} PRIVATE ${inkling_fast_options})
endif()

# inkling_link_fast_flavour(TARGET LIBRARY...): links the fast flavour. By file, because the ggml target would bring the
# plain one along.
function(inkling_link_fast_flavour target)
  set(parts ${ARGN} inkling_engine llama ggml ggml-base ${INKLING_FAST_GGML})
  add_dependencies(${target} ${parts})
  list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  set(system pthread m)
  if(NOT WIN32)
    list(APPEND system dl)
  endif()
  target_link_libraries(${target} PRIVATE -Wl,--start-group ${files} -Wl,--end-group ${system})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${files})
endfunction()

# Builds ggml's CPU backend with our patches (native/patches) and our kernels (native/kernels), llama.cpp with its patch,
# and lists all patches.

include(native/cmake/patches.cmake)

# The patches apply in this order.
set(INKLING_PATCHES
  1-yield-at-barriers.patch
  2-one-attention-path.patch
  3-one-product-path.patch
  4-row-product-kernels.patch
  5-vectorized-activations.patch
  6-short-convolution.patch
  7-delta-rule.patch
  8-attention.patch
  9-norms.patch
  10-concatenation.patch)
# Of the Vulkan backend (vulkan.cmake).
set(INKLING_VULKAN_PATCHES
  11-no-cooperative-matrices.patch
  12-older-vulkan-headers.patch
  13-shaders-as-strings.patch)
# Of llama.cpp itself.
set(INKLING_LLAMA_PATCHES
  14-untouched-graph-memory.patch
  15-filled-snapshots.patch
  16-kept-graphs.patch
  17-coupled-sequences.patch
  18-cleared-states.patch
  19-states-at-once.patch)
# Of what ggml's backends have in common.
set(INKLING_BASE_PATCHES
  20-aligned-tensors.patch)
# Of the CPU backend, behind its others.
list(APPEND INKLING_PATCHES
  21-aligned-weights.patch
  22-interleaved-q8-0.patch)
# The kernels of native/kernels, each with the patch that calls it.
set(INKLING_KERNELS
  row_products 4-row-product-kernels.patch
  quantize_q8_K 5-vectorized-activations.patch
  short_convolution 6-short-convolution.patch
  delta_rule 7-delta-rule.patch
  attention 8-attention.patch
  concatenation 10-concatenation.patch
  interleaved_q8_0 22-interleaved-q8-0.patch)
list(TRANSFORM INKLING_PATCHES PREPEND "${CMAKE_SOURCE_DIR}/native/patches/")
list(TRANSFORM INKLING_BASE_PATCHES PREPEND "${CMAKE_SOURCE_DIR}/native/patches/")
list(TRANSFORM INKLING_VULKAN_PATCHES PREPEND "${CMAKE_SOURCE_DIR}/native/patches/")
list(TRANSFORM INKLING_LLAMA_PATCHES PREPEND "${CMAKE_SOURCE_DIR}/native/patches/")

# inkling_patch_sources(TARGET PREFIX PATCHES DEFINITIONS APPLIED): TARGET compiles patched copies of its sources, which
# lie below PREFIX in llama.cpp. Call it before another target uses them. DEFINITIONS gets one compile definition for each
# patch that applies, APPLIED those patches.
function(inkling_patch_sources target prefix patches definitions applied)
  # The patches are made for the pinned version. A developer's own checkout may have any version.
  set(required REQUIRED)
  if(INKLING_LLAMA_DIR)
    set(required "")
  endif()
  set(into "${CMAKE_BINARY_DIR}/patched")
  inkling_apply_patches(SOURCE "${INKLING_LLAMA_SOURCE}" INTO "${into}" PATCHES ${patches} ${required}
    APPLIED used FILES files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patches})

  get_target_property(source_dir ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${INKLING_LLAMA_SOURCE}/${file}")
    # The target names its sources relative to its own folder, or in full where it looks for them. It has no files that
    # the platform does not build.
    set(present "${sources}")
    set(sources "")
    foreach(source IN LISTS present)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${source_dir}" NORMALIZE OUTPUT_VARIABLE original)
      if(original STREQUAL "${INKLING_LLAMA_SOURCE}/${file}")
        set(source "${into}/${file}")
      endif()
      list(APPEND sources "${source}")
    endforeach()
    string(REGEX REPLACE "^${prefix}" "" source "${file}")
    # The copy includes files relative to the original's folder. The target's own one is known.
    cmake_path(GET source PARENT_PATH folder)
    if(folder)
      target_include_directories(${target} PRIVATE "${source_dir}/${folder}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")

  set(names "")
  foreach(patch IN LISTS used)
    inkling_patch_definition("${patch}" name)
    list(APPEND names "${name}")
  endforeach()
  set(${definitions} "${names}" PARENT_SCOPE)
  set(${applied} "${used}" PARENT_SCOPE)
endfunction()

# inkling_patch_llama(DEFINITIONS KERNELS): patches ggml's CPU backend and llama.cpp. DEFINITIONS gets one compile
# definition for each applied patch, KERNELS the kernels that they call.
function(inkling_patch_llama definitions kernels)
  inkling_patch_sources(ggml-cpu "ggml/src/" "${INKLING_PATCHES}" names applied)
  inkling_called_kernels(called PATCHES ${applied} KERNELS ${INKLING_KERNELS})
  foreach(kernel IN LISTS called)
    target_sources(ggml-cpu PRIVATE "${CMAKE_SOURCE_DIR}/native/kernels/${kernel}.cpp")
  endforeach()
  get_target_property(source_dir ggml-cpu SOURCE_DIR)
  target_include_directories(ggml-cpu PRIVATE "${source_dir}/ggml-cpu" "${source_dir}"
    "${CMAKE_SOURCE_DIR}/native/kernels")
  if(MINGW)
    target_compile_options(ggml-cpu PRIVATE "SHELL:-include \"${CMAKE_SOURCE_DIR}/native/kernels/thread_power.h\"")
  endif()

  inkling_patch_sources(ggml-base "ggml/src/" "${INKLING_BASE_PATCHES}" base_names applied)
  inkling_patch_sources(llama "src/" "${INKLING_LLAMA_PATCHES}" llama_names applied)
  set(${definitions} "${names};${base_names};${llama_names}" PARENT_SCOPE)
  set(${kernels} "${called}" PARENT_SCOPE)
endfunction()

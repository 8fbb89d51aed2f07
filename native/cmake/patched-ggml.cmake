# Builds ggml's CPU backend with our patches (native/patches) and our kernels (native/kernels), and lists all patches.

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
# The kernels of native/kernels, each with the patch that calls it.
set(INKLING_KERNELS
  row_products 4-row-product-kernels.patch
  quantize_q8_K 5-vectorized-activations.patch
  short_convolution 6-short-convolution.patch
  delta_rule 7-delta-rule.patch
  attention 8-attention.patch
  concatenation 10-concatenation.patch)
list(TRANSFORM INKLING_PATCHES PREPEND "${CMAKE_SOURCE_DIR}/native/patches/")
list(TRANSFORM INKLING_VULKAN_PATCHES PREPEND "${CMAKE_SOURCE_DIR}/native/patches/")

# inkling_patch_ggml(TARGET DEFINITIONS KERNELS): call it before another target uses the sources of TARGET. DEFINITIONS
# gets one compile definition for each applied patch, KERNELS the kernels that they call.
function(inkling_patch_ggml target definitions kernels)
  # The patches are made for the pinned version. A developer's own checkout may have any version.
  set(required REQUIRED)
  if(INKLING_LLAMA_DIR)
    set(required "")
  endif()
  set(into "${CMAKE_BINARY_DIR}/patched")
  inkling_apply_patches(SOURCE "${INKLING_LLAMA_SOURCE}" INTO "${into}" PATCHES ${INKLING_PATCHES} ${required}
    APPLIED applied FILES files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${INKLING_PATCHES})

  get_target_property(source_dir ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${INKLING_LLAMA_SOURCE}/${file}")
    # The target names its sources relative to its own folder. It has no files that the platform does not build.
    string(REGEX REPLACE "^ggml/src/" "" source "${file}")
    list(TRANSFORM sources REPLACE "^${source}$" "${into}/${file}")
    # The copy includes files relative to the original's folder.
    cmake_path(GET source PARENT_PATH folder)
    target_include_directories(${target} PRIVATE "${source_dir}/${folder}")
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  inkling_called_kernels(called PATCHES ${applied} KERNELS ${INKLING_KERNELS})
  foreach(kernel IN LISTS called)
    target_sources(${target} PRIVATE "${CMAKE_SOURCE_DIR}/native/kernels/${kernel}.cpp")
  endforeach()
  target_include_directories(${target} PRIVATE "${source_dir}/ggml-cpu" "${source_dir}"
    "${CMAKE_SOURCE_DIR}/native/kernels")
  if(MINGW)
    target_compile_options(${target} PRIVATE "SHELL:-include \"${CMAKE_SOURCE_DIR}/native/kernels/thread_power.h\"")
  endif()

  set(names "")
  foreach(patch IN LISTS applied)
    inkling_patch_definition("${patch}" name)
    list(APPEND names "${name}")
  endforeach()
  set(${definitions} "${names}" PARENT_SCOPE)
  set(${kernels} "${called}" PARENT_SCOPE)
endfunction()

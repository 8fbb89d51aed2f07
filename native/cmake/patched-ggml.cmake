# Builds ggml's CPU backend with our patches (native/patches) and our kernels (native/kernels).

include(native/cmake/patches.cmake)

# In this order.
set(INKLING_PATCHES
  1-yield-at-barriers.patch
  2-one-attention-path.patch
  3-one-product-path.patch
  4-few-rows-kernels.patch)
list(TRANSFORM INKLING_PATCHES PREPEND "${CMAKE_SOURCE_DIR}/native/patches/")

# inkling_patch_ggml(TARGET VARIABLE): before another target is made from the sources of TARGET. VARIABLE gets one
# compile definition for each patch that is in it.
function(inkling_patch_ggml target definitions)
  # An own checkout may be of any version; the pinned one is what the patches are made for.
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
    # The target names its sources from its own folder. One that a platform does not build is not among them.
    string(REGEX REPLACE "^ggml/src/" "" source "${file}")
    list(TRANSFORM sources REPLACE "^${source}$" "${into}/${file}")
    # What the copy includes by a path beside the original.
    cmake_path(GET source PARENT_PATH folder)
    target_include_directories(${target} PRIVATE "${source_dir}/${folder}")
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  target_sources(${target} PRIVATE "${CMAKE_SOURCE_DIR}/native/kernels/few_rows.cpp")
  target_include_directories(${target} PRIVATE "${source_dir}/ggml-cpu" "${source_dir}"
    "${CMAKE_SOURCE_DIR}/native/kernels")

  set(names "")
  foreach(patch IN LISTS applied)
    inkling_patch_definition("${patch}" name)
    list(APPEND names "${name}")
  endforeach()
  set(${definitions} "${names}" PARENT_SCOPE)
endfunction()

# Builds ggml's Vulkan backend for one flavour of its own, inkling-vulkan.node. GGML_VULKAN stays off: it would link the
# backend, and so libvulkan, into every flavour, and a machine without libvulkan could load none of them.
#
# INKLING_VULKAN  AUTO builds it where everything that it needs is found, ON stops the build otherwise, OFF leaves it out
set(INKLING_VULKAN AUTO CACHE STRING "Build the Vulkan flavour: AUTO, ON or OFF")
set_property(CACHE INKLING_VULKAN PROPERTY STRINGS AUTO ON OFF)

# inkling_find_vulkan(VARIABLE): an empty list where the flavour can be built, or what it lacks.
function(inkling_find_vulkan variable)
  set(lacks "")
  if(NOT INKLING_FLAVOURS OR APPLE)
    list(APPEND lacks "x86-64 or arm64 with GCC or Clang, on Linux or Windows")
  endif()
  if(CMAKE_CROSSCOMPILING)
    # What CMake finds then may be the build machine's.
    list(APPEND lacks "a build on its own system")
  endif()
  find_package(Vulkan QUIET COMPONENTS glslc)
  find_package(SPIRV-Headers CONFIG QUIET)
  foreach(need "Vulkan_INCLUDE_DIR:Vulkan's headers" "Vulkan_LIBRARY:libvulkan"
      "Vulkan_GLSLC_EXECUTABLE:glslc" "SPIRV-Headers_DIR:spirv-headers")
    string(REGEX MATCH "^([^:]+):(.*)$" _ "${need}")
    if(NOT ${CMAKE_MATCH_1})
      list(APPEND lacks "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  set(${variable} "${lacks}" PARENT_SCOPE)
endfunction()

# ggml's folder of the backend calls this. ggml's own function of this name would link the backend to the target ggml,
# which every flavour has.
function(ggml_add_backend_library backend)
  add_library(${backend} STATIC ${ARGN})
  target_link_libraries(${backend} PRIVATE ggml-base)
  target_include_directories(${backend} PRIVATE "${INKLING_LLAMA_SOURCE}/ggml/src")
  set_target_properties(${backend} PROPERTIES CXX_STANDARD 17)
endfunction()

# inkling_add_vulkan(): adds the target ggml-vulkan, of a patched copy of the backend's folder.
function(inkling_add_vulkan)
  set(folder ggml/src/ggml-vulkan)
  set(into "${CMAKE_BINARY_DIR}/patched-vulkan")
  set(required REQUIRED)
  if(INKLING_LLAMA_DIR)
    set(required "")
  endif()
  inkling_apply_patches(SOURCE "${INKLING_LLAMA_SOURCE}" INTO "${into}" PATCHES ${INKLING_VULKAN_PATCHES} ${required}
    APPLIED applied FILES patched)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${INKLING_VULKAN_PATCHES})
  file(GLOB_RECURSE files RELATIVE "${INKLING_LLAMA_SOURCE}" "${INKLING_LLAMA_SOURCE}/${folder}/*")
  list(REMOVE_ITEM files ${patched})
  foreach(file ggml/include/ggml-vulkan.h ${files})
    cmake_path(GET file PARENT_PATH parent)
    file(MAKE_DIRECTORY "${into}/${parent}")
    file(COPY_FILE "${INKLING_LLAMA_SOURCE}/${file}" "${into}/${file}" ONLY_IF_DIFFERENT)
  endforeach()
  add_subdirectory("${into}/${folder}" "${CMAKE_BINARY_DIR}/ggml-vulkan" EXCLUDE_FROM_ALL SYSTEM)
endfunction()

set(INKLING_HAS_VULKAN OFF)
if(INKLING_VULKAN AND NOT INKLING_SANITIZE AND NOT INKLING_FUZZ)
  inkling_find_vulkan(inkling_vulkan_lacks)
  if(NOT inkling_vulkan_lacks)
    set(INKLING_HAS_VULKAN ON)
    inkling_add_vulkan()
    message(STATUS "Inkling: building the Vulkan flavour; its shaders take some minutes once")
  else()
    list(JOIN inkling_vulkan_lacks ", " inkling_vulkan_lacks)
    if(INKLING_VULKAN STREQUAL "AUTO")
      message(STATUS "Inkling: no Vulkan flavour; it needs ${inkling_vulkan_lacks}")
    else()
      message(FATAL_ERROR "INKLING_VULKAN is ${INKLING_VULKAN}, but the Vulkan flavour needs ${inkling_vulkan_lacks}")
    endif()
  endif()
endif()

# Builds of our own code with sanitizers or for fuzzing take the libraries of the ordinary build, and compile again only
# what they instrument of llama.cpp. So they are short, and their tests fast.

# inkling_take_libraries(folder): makes inkling_llama of the libraries in the ordinary build folder, which must be up to
# date, instead of building them. Call it after llama.cpp is added.
function(inkling_take_libraries ordinary)
  set(files "")
  foreach(library src/libllama.a ggml/src/libggml.a ggml/src/libggml-cpu.a ggml/src/libggml-base.a)
    set(file "${ordinary}/llama.cpp/${library}")
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "${file} is missing; build it first: node native/build.mjs")
    endif()
    list(APPEND files "${file}")
  endforeach()
  find_package(Threads REQUIRED)
  target_include_directories(inkling_llama INTERFACE $<TARGET_PROPERTY:llama,INTERFACE_INCLUDE_DIRECTORIES>
    $<TARGET_PROPERTY:ggml,INTERFACE_INCLUDE_DIRECTORIES>)
  # Each of them uses the others.
  target_link_libraries(inkling_llama INTERFACE -Wl,--start-group ${files} -Wl,--end-group Threads::Threads
    ${CMAKE_DL_LIBS} m)
  add_library(inkling_instrumented INTERFACE)
endfunction()

# inkling_instrument(target pattern flag...): compiles the matching sources of a target of llama.cpp with more flags. A
# program that links inkling_instrumented before inkling_llama has these objects in place of the libraries' own: a linker
# takes nothing from a library that is defined already.
function(inkling_instrument target pattern)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "${pattern}")
  if(NOT sources)
    message(FATAL_ERROR "${target} has no source ${pattern} to instrument")
  endif()
  list(TRANSFORM sources PREPEND "${folder}/" REGEX "^[^/]")
  set(objects inkling_instrumented_${target})
  add_library(${objects} OBJECT EXCLUDE_FROM_ALL ${sources})
  inkling_copy_compile_properties(${target} ${objects})
  # Not the libraries themselves.
  set_target_properties(${objects} PROPERTIES LINK_LIBRARIES "")
  target_include_directories(${objects} PRIVATE "${folder}"
    $<TARGET_PROPERTY:inkling_llama,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_options(${objects} PRIVATE -w ${ARGN})
  # CMake lists a precompiled header among the objects.
  target_link_libraries(inkling_instrumented INTERFACE ${objects} $<FILTER:$<TARGET_OBJECTS:${objects}>,EXCLUDE,[.]gch$>)
endfunction()

# ggml's threads meet at a barrier several times per layer and spin there without end. Where the editor, a compiler or
# a test run has the cores, a thread then spins away its whole time slice while the one it waits for is not scheduled:
# measured here, prefill fell to a sixteenth. The copy of ggml-cpu.c made here gives the core away after a few
# microseconds of waiting; with idle cores that never happens. The source tree itself stays as it was fetched.

# inkling_yielding_barrier(TARGET): builds TARGET (ggml-cpu) with the changed copy of ggml-cpu.c.
function(inkling_yielding_barrier target)
  get_target_property(source_dir ${target} SOURCE_DIR)
  set(original "${source_dir}/ggml-cpu/ggml-cpu.c")
  set(changed "${CMAKE_BINARY_DIR}/yielding-barrier/ggml-cpu.c")
  set(spin "== n_passed) {\n        ggml_thread_cpu_relax();\n    }")
  set(spin_then_yield
    "== n_passed) {\n        if (++n_spins < 1024) {\n            ggml_thread_cpu_relax();\n        } else {\n            sched_yield();\n        }\n    }")
  file(READ "${original}" text)
  string(FIND "${text}" "${spin}" found)
  if(found EQUAL -1)
    message(WARNING "${original}: the barrier's loop looks different; it is built as it is and will spin on a busy machine")
    return()
  endif()
  string(REPLACE "${spin}" "${spin_then_yield}" text "${text}")
  string(REPLACE "    // wait for other threads\n" "    // wait for other threads\n    int n_spins = 0;\n" text "${text}")
  file(GENERATE OUTPUT "${changed}" CONTENT "${text}")

  get_target_property(sources ${target} SOURCES)
  list(TRANSFORM sources REPLACE "^.*ggml-cpu/ggml-cpu\\.c$" "${changed}")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  # What the copy includes by a path beside the original.
  target_include_directories(${target} PRIVATE "${source_dir}/ggml-cpu" "${source_dir}")
endfunction()

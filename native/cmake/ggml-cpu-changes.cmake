# Three changes to ggml's CPU backend, made in copies at build time; the source tree stays as it was fetched.
#
# 1. Its threads meet at a barrier several times per layer and spin there without end. Where the editor, a compiler or a
#    test run has the cores, a thread then spins away its whole time slice while the one it waits for is not scheduled:
#    measured here, prefill fell to a sixteenth. Ours gives the core away after a few microseconds of waiting; with idle
#    cores that never happens.
# 2. Attention of a single row over 512 and more cells splits the cells among the threads and adds up the parts, which
#    rounds differently than the same row in a batch of two or three. Ours takes the one path for all, so that a
#    verified draft leaves the very numbers of plain decoding (evaluation_trail.h). Heads still run in parallel.
# 3. For the same reason two or three rows are not multiplied by weights of F32, F16 or BF16 (the router of a mixture of
#    experts is always F32) in llamafile's kernels, which sum in another order than those for one row. The kernels for
#    quantized weights, where the time goes, sum in the same order and stay.

# inkling_change_source(TARGET FILE FIND REPLACE): builds TARGET with a copy of its source FILE in which FIND, which must
# occur, is replaced.
function(inkling_change_source target file find replace)
  get_target_property(source_dir ${target} SOURCE_DIR)
  set(changed "${CMAKE_BINARY_DIR}/ggml-cpu-changes/${file}")
  cmake_path(GET file PARENT_PATH folder)
  file(READ "${source_dir}/ggml-cpu/${file}" text)
  string(FIND "${text}" "${find}" found)
  if(found EQUAL -1)
    message(WARNING "${source_dir}/ggml-cpu/${file} is not the one that native/cmake/ggml-cpu-changes.cmake knows; "
                    "it is built as it is")
    return()
  endif()
  string(REPLACE "${find}" "${replace}" text "${text}")
  file(GENERATE OUTPUT "${changed}" CONTENT "${text}")

  get_target_property(sources ${target} SOURCES)
  string(REPLACE "." "\\." pattern "${file}")
  list(TRANSFORM sources REPLACE "^.*ggml-cpu/${pattern}$" "${changed}")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  # What the copy includes by a path beside the original.
  target_include_directories(${target} PRIVATE "${source_dir}/ggml-cpu" "${source_dir}/ggml-cpu/${folder}" "${source_dir}")
endfunction()

function(inkling_change_ggml_cpu target)
  inkling_change_source(${target} ggml-cpu.c
    "    while (atomic_load_explicit(&tp->n_barrier_passed, memory_order_relaxed) == n_passed) {\n        ggml_thread_cpu_relax();\n"
    "    int n_spins = 0;\n    while (atomic_load_explicit(&tp->n_barrier_passed, memory_order_relaxed) == n_passed) {\n        if (++n_spins < 1024) {\n            ggml_thread_cpu_relax();\n        } else {\n            sched_yield();\n        }\n")
  inkling_change_source(${target} ops.cpp
    "q->type == GGML_TYPE_F32 && nek1 >= 512;"
    "q->type == GGML_TYPE_F32 && false;")
  if(GGML_LLAMAFILE)
    inkling_change_source(${target} llamafile/sgemm.cpp
      "#if !defined(__MMA__)\n    if (n < 2)\n"
      "#if !defined(__MMA__)\n    if (n < 2 || (n < 4 && (Atype == GGML_TYPE_F32 || Atype == GGML_TYPE_F16 || Atype == GGML_TYPE_BF16)))\n")
  endif()
endfunction()

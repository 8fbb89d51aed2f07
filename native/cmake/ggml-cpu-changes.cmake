# Four changes to ggml's CPU backend, made in copies at build time; the source tree stays as it was fetched.
#
# 1. Its threads meet at a barrier several times per layer and spin there without end. Where the editor, a compiler or a
#    test run has the cores, a thread then spins away its whole time slice while the one it waits for is not scheduled:
#    measured here, prefill fell to a sixteenth. Ours gives the core away after a few microseconds of waiting; with idle
#    cores that never happens.
# 2. Attention of a single row over 512 and more cells splits the cells among the threads and adds up the parts, which
#    rounds differently than the same row in a batch of two or three. Ours takes the one path for all, so that a
#    verified draft leaves the very numbers of plain decoding (batch_history.h). Heads still run in parallel.
# 3. For the same reason two or three rows are not multiplied by weights of F32, F16 or BF16 (the router of a mixture of
#    experts is always F32) in llamafile's kernels, which sum in another order than those for one row.
# 4. One to three rows, plain decoding and what a round of speculation verifies, are multiplied by Q4_K, Q6_K and Q8_0
#    weights in our own kernels (native/kernels/few_rows.h), which unpack the weights once for all rows and ask the
#    memory for them ahead. ggml does so for each row again and waits for the memory, and llamafile's kernel for Q8_0 has
#    more sums than registers. Threads take as many weights at a time as for one row.

# inkling_change_source(TARGET FILE FIND REPLACE [FIND REPLACE]...): builds TARGET with a copy of its source FILE in
# which each FIND, which must occur, is replaced.
function(inkling_change_source target file)
  get_target_property(source_dir ${target} SOURCE_DIR)
  set(changed "${CMAKE_BINARY_DIR}/ggml-cpu-changes/${file}")
  cmake_path(GET file PARENT_PATH folder)
  file(READ "${source_dir}/ggml-cpu/${file}" text)
  math(EXPR last "${ARGC} - 1")
  foreach(find_at RANGE 2 ${last} 2)
    math(EXPR replace_at "${find_at} + 1")
    string(FIND "${text}" "${ARGV${find_at}}" found)
    if(found EQUAL -1)
      message(WARNING "${source_dir}/ggml-cpu/${file} is not the one that native/cmake/ggml-cpu-changes.cmake knows; "
                      "it is built as it is")
      return()
    endif()
    string(REPLACE "${ARGV${find_at}}" "${ARGV${replace_at}}" text "${text}")
  endforeach()
  file(GENERATE OUTPUT "${changed}" CONTENT "${text}")

  get_target_property(sources ${target} SOURCES)
  string(REPLACE "." "\\." pattern "${file}")
  list(TRANSFORM sources REPLACE "^.*ggml-cpu/${pattern}$" "${changed}")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  # What the copy includes by a path beside the original.
  target_include_directories(${target} PRIVATE "${source_dir}/ggml-cpu" "${source_dir}/ggml-cpu/${folder}" "${source_dir}")
endfunction()

function(inkling_change_ggml_cpu target)
  set(include_few_rows "#include \"few_rows.h\"\n")
  inkling_change_source(${target} ggml-cpu.c
    "    while (atomic_load_explicit(&tp->n_barrier_passed, memory_order_relaxed) == n_passed) {\n        ggml_thread_cpu_relax();\n"
    "    int n_spins = 0;\n    while (atomic_load_explicit(&tp->n_barrier_passed, memory_order_relaxed) == n_passed) {\n        if (++n_spins < 1024) {\n            ggml_thread_cpu_relax();\n        } else {\n            sched_yield();\n        }\n"
    "#include \"ggml-cpu-impl.h\"\n"
    "#include \"ggml-cpu-impl.h\"\n${include_few_rows}"
    "    if (nr0 == 1 || nr1 == 1) {\n        chunk_size = 64;"
    "    if (nr0 == 1 || nr1 <= INKLING_FEW_ROWS) {\n        chunk_size = 64;"
    "    // attempt to reduce false-sharing (does not seem to make a difference)\n"
    "    if (ne12 == 1 && ne13 == 1 && ir1_start == 0 && ir1_end == ne11 && ne11 <= INKLING_FEW_ROWS) {\n        const struct inkling_few_rows_product product = {\n            .n = ne00, .out = (float *) dst->data + ir0_start, .out_stride = nb1,\n            .weights = (const char *) src0->data + ir0_start * nb01, .weight_stride = nb01, .n_weights = ir0_end - ir0_start,\n            .activations = wdata, .activation_stride = src1_col_stride, .n_rows = ne11\n        };\n        if (inkling_few_rows(type, &product)) {\n            return;\n        }\n    }\n")
  inkling_change_source(${target} repack.cpp
    "#include \"repack.h\"\n"
    "#include \"repack.h\"\n${include_few_rows}"
    "        for (int iter = nrows - (nrows % 4); iter < nrows; iter++) {\n            gemv<"
    "        const int64_t few = nrows - nrows % 4;\n        if constexpr (std::is_same_v<BLOC_TYPE, block_q4_K> && INTER_SIZE == 8 && NB_COLS == 8) {\n            const inkling_few_rows_product product = {\n                /* n */ ne00, /* out */ (float *) (dst_ptr + few * nb1) + src0_start, /* out_stride */ nb1,\n                /* weights */ src0_ptr + src0_start * nb01, /* weight_stride */ nb01, /* n_weights */ ncols,\n                /* activations */ src1_ptr + src1_col_stride * few, /* activation_stride */ src1_col_stride, /* n_rows */ nrows - few\n            };\n            if (inkling_few_rows_q4_K_8x8(&product)) {\n                return;\n            }\n        }\n        for (int iter = few; iter < nrows; iter++) {\n            gemv<")
  inkling_change_source(${target} ops.cpp
    "q->type == GGML_TYPE_F32 && nek1 >= 512;"
    "q->type == GGML_TYPE_F32 && false;")
  if(GGML_LLAMAFILE)
    inkling_change_source(${target} llamafile/sgemm.cpp
      "#if !defined(__MMA__)\n    if (n < 2)\n"
      "#if !defined(__MMA__)\n#if defined(__AVX2__)\n    if (n < 4 && Atype == GGML_TYPE_Q8_0)\n        return false;\n#endif\n    if (n < 2 || (n < 4 && (Atype == GGML_TYPE_F32 || Atype == GGML_TYPE_F16 || Atype == GGML_TYPE_BF16)))\n")
  endif()
  target_sources(${target} PRIVATE "${CMAKE_SOURCE_DIR}/native/kernels/few_rows.cpp")
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/native/kernels")
endfunction()

# INKLING_SANITIZE runs the ctest suite under a sanitizer, at a cost that CI can pay. Instrumented is our own code, and
# of llama.cpp
#   address   what our patches change, and what reads arrays of ours: the batch, the context and its memory, the loader
#             and the tokenizer. Only our own code is checked for undefined behaviour
#   thread    where the threads of ggml's CPU backend meet: the pool, its barrier, our kernels. The rest of llama.cpp
#             runs on the one calling thread, and its kernels run between two barriers

# Call this before llama.cpp is added.
macro(inkling_prepare_sanitizer)
  if(NOT INKLING_SANITIZE MATCHES "^(address|thread)$")
    message(FATAL_ERROR "INKLING_SANITIZE is '${INKLING_SANITIZE}'; it takes address or thread")
  endif()
  set(CMAKE_BUILD_TYPE Sanitize)
  set(inkling_sanitize_flags -O1 -g1 -fno-omit-frame-pointer -fsanitize=${INKLING_SANITIZE})
endmacro()

# Call this after llama.cpp is added. It applies to the following targets, which are ours.
macro(inkling_sanitize_our_own)
  if(INKLING_SANITIZE STREQUAL "address")
    # Arrays in a kernel's frame hold what belongs into registers. The address sanitizer would keep them in memory, and
    # tests that evaluate would take twice as long. Their bounds are checked instead: free where the index is a constant.
    inkling_instrument(ggml-cpu "/(patched/.*|ggml-cpu\\.c|native/kernels/[a-z0-9_K]+\\.cpp)$" ${inkling_sanitize_flags} -O3
      --param=asan-stack=0 -fsanitize=bounds -fno-sanitize-recover=bounds)
    inkling_instrument(llama
      "^/?(llama|llama-(adapter|batch|context|io|kv-cache|memory|mmap|model-loader|vocab)[^/]*|unicode)\\.cpp$"
      ${inkling_sanitize_flags})
    add_compile_options(${inkling_sanitize_flags} -fsanitize=undefined -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=address,undefined)
  else()
    inkling_instrument(ggml-cpu "/(ggml-cpu\\.c|native/kernels/[a-z0-9_K]+\\.cpp)$" ${inkling_sanitize_flags} -O3)
    add_compile_options(${inkling_sanitize_flags})
    add_link_options(-fsanitize=thread)
  endif()
endmacro()

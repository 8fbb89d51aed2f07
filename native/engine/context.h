#pragma once

#include "engine/model.h"

#include <cstdint>
#include <memory>

struct ggml_threadpool;
struct llama_context;

namespace inkling {

struct context_params {
    // Tokens of context; 0 = the model's training context, at most 8192.
    int32_t context_length = 0;
    // 0 = usable_physical_cores().
    int32_t threads        = 0;
    // Tokens per llama_decode while prefilling. It bounds how long a cancellation waits.
    int32_t batch_size     = 256;
};

// A llama_context with its own thread pool. Holds its model; used on the engine thread only.
class context {
  public:
    // Throws engine_error: out_of_memory.
    context(std::shared_ptr<const model> owner, const context_params & params);

    ~context();

    context(const context &)             = delete;
    context & operator=(const context &) = delete;

    llama_context * handle() const { return handle_.get(); }
    int32_t         length() const { return length_; }
    int32_t         threads() const { return threads_; }
    int32_t         batch_size() const { return batch_size_; }

    // Evaluates tokens at positions first_position onwards of sequence 0 and computes logits for the last one only.
    // Precondition: 1 <= count <= batch_size(), first_position + count <= length(). Returns after the work is done.
    // Throws engine_error: decode_failed.
    void decode(const token_id * tokens, int32_t count, token_position first_position);

    // Of the last token decoded: vocabulary_size floats, valid until the next decode.
    const float * last_logits() const;

    // Forgets everything that was evaluated.
    void clear();

  private:
    struct context_deleter {
        void operator()(llama_context * handle) const;
    };
    struct threadpool_deleter {
        void operator()(ggml_threadpool * pool) const;
    };
    struct batch_owner;

    // Destroyed in reverse order: the context goes before the pool it computes on and the model it reads.
    std::shared_ptr<const model>                         model_;
    std::unique_ptr<ggml_threadpool, threadpool_deleter> pool_;
    std::unique_ptr<llama_context, context_deleter>      handle_;
    std::unique_ptr<batch_owner>                         batch_;
    int32_t                                              length_     = 0;
    int32_t                                              threads_    = 0;
    int32_t                                              batch_size_ = 0;
};

} // namespace inkling

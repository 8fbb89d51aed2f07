#pragma once

#include "engine/context.h"

#include <cstdint>
#include <memory>

struct llama_sampler;

namespace inkling {

struct sampling_params {
    // 0 = greedy; top_k, top_p and min_p then have no effect.
    float    temperature    = 0.0f;
    int32_t  top_k          = 0;    // 0 = off
    float    top_p          = 1.0f; // 1 = off
    float    min_p          = 0.0f; // 0 = off
    float    repeat_penalty = 1.0f; // 1 = off
    int32_t  repeat_last_n  = 64;
    uint32_t seed           = 0;
};

// Chooses the next token from the logits of the last decode. Greedy without a penalty is a plain argmax.
class sampler {
  public:
    sampler(const sampling_params & params, int32_t vocabulary_size);

    // The prompt's tokens count for the repeat penalty.
    void     accept_prompt(token_id token);
    token_id sample(const context & ctx);

  private:
    struct deleter {
        void operator()(llama_sampler * handle) const;
    };

    int32_t                                 vocabulary_size_;
    // Null = argmax.
    std::unique_ptr<llama_sampler, deleter> chain_;
};

// Index of the largest of count logits; the first one of equals.
token_id argmax(const float * logits, int32_t count);

} // namespace inkling

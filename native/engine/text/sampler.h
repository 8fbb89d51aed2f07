#pragma once

#include "engine/llama/model.h"

#include <cstdint>
#include <memory>
#include <vector>

struct llama_sampler;

namespace inkling {

struct sampling_params {
    // 0 = greedy; top_k and top_p then have no effect.
    float    temperature = 0.0f;
    int32_t  top_k       = 0;    // 0 = off
    float    top_p       = 1.0f; // 1 = off
    uint32_t seed        = 0;
};

// Another token that the constraint allowed.
struct rival {
    token_id token           = no_token;
    float    log_probability = 0.0f;
};

// How many rivals of a choice are kept. The others together hardly weigh.
inline constexpr size_t MAX_RIVALS = 8;

struct choice {
    token_id           token                   = no_token;
    // Natural logarithm of the model's own probability of the token, before temperature and constraint.
    float              log_probability         = 0.0f;
    // The same among the tokens that the constraint allowed; equal to it without a constraint.
    float              allowed_log_probability = 0.0f;
    // The next best tokens under the same constraint, best first; at most MAX_RIVALS.
    std::vector<rival> rivals;
};

// Chooses tokens from logits. It draws once per choice. A draft is verified by comparing it with the choice, so the
// distribution stays that of plain decoding, and the same seed gives the same tokens. Rejection sampling could not
// accept more: a draft is one fixed token, so at best it is accepted with the probability that the model gives it,
// which is how often the choice equals it.
class sampler {
  public:
    sampler(const sampling_params & params, int32_t vocabulary_size);
    ~sampler();

    sampler(const sampler &)             = delete;
    sampler & operator=(const sampler &) = delete;

    // Whether the choice depends on the logits alone.
    bool   deterministic() const { return chain_ == nullptr; }
    // allowed restricts the choice; null = all. Precondition: allowed is not empty. Throws as largest_logit.
    choice choose(const float * logits, const std::vector<token_id> * allowed);
    // What choose() would tell of a token that is taken without a choice. Precondition: `allowed` holds it. Throws as
    // largest_logit.
    choice given(token_id token, const float * logits, const std::vector<token_id> * allowed) const;

  private:
    struct deleter {
        void operator()(llama_sampler * handle) const;
    };
    struct candidates;

    int32_t                                 vocabulary_size_;
    // Null = argmax.
    std::unique_ptr<llama_sampler, deleter> chain_;
    std::unique_ptr<candidates>             candidates_;
};

// Index of `largest`, the largest of count logits; the first one of equals.
token_id argmax(const float * logits, int32_t count, float largest);

// The largest of count logits; count is at least 1. Throws engine_error: decode_failed, if one of them is not a number
// or the largest is infinite. Such a row is no ground for a choice, and the state after it cannot be trusted.
float largest_logit(const float * logits, int32_t count);

// Natural logarithm of the probability of `chosen` among itself and its rivals.
float log_probability_among(float chosen, const std::vector<rival> & rivals);

// The largest of count logits, its index (the first one of equals), and the next largest. NaN is neither.
struct best_two {
    token_id token = 0;
    float    first;
    float    second;
};
best_two find_best_two(const float * logits, int32_t count);

// Natural logarithm of the softmax of one of count logits, to within 0.001. largest is the largest of them.
float log_probability(const float * logits, int32_t count, float largest, token_id token);

} // namespace inkling

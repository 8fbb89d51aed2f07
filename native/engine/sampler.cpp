#include "engine/sampler.h"

#include "llama.h"

namespace inkling {

void sampler::deleter::operator()(llama_sampler * handle) const {
    llama_sampler_free(handle);
}

token_id argmax(const float * logits, int32_t count) {
    token_id best = 0;
    for (int32_t i = 1; i < count; ++i) {
        if (logits[i] > logits[best]) {
            best = i;
        }
    }
    return best;
}

sampler::sampler(const sampling_params & params, int32_t vocabulary_size) : vocabulary_size_(vocabulary_size) {
    const bool greedy    = params.temperature <= 0.0f;
    const bool penalised = params.repeat_penalty != 1.0f && params.repeat_last_n != 0;
    if (greedy && !penalised) {
        return;
    }
    llama_sampler_chain_params chain_params = llama_sampler_chain_default_params();
    chain_params.no_perf                    = true;
    chain_.reset(llama_sampler_chain_init(chain_params));
    const auto add = [this](llama_sampler * stage) {
        llama_sampler_chain_add(chain_.get(), stage);
    };
    if (penalised) {
        add(llama_sampler_init_penalties(vocabulary_size, params.repeat_last_n, params.repeat_penalty, 0.0f, 0.0f));
    }
    if (greedy) {
        add(llama_sampler_init_greedy());
        return;
    }
    if (params.top_k > 0) {
        add(llama_sampler_init_top_k(params.top_k));
    }
    if (params.top_p < 1.0f) {
        add(llama_sampler_init_top_p(params.top_p, 1));
    }
    if (params.min_p > 0.0f) {
        add(llama_sampler_init_min_p(params.min_p, 1));
    }
    add(llama_sampler_init_temp(params.temperature));
    add(llama_sampler_init_dist(params.seed));
}

void sampler::accept_prompt(token_id token) {
    if (chain_ != nullptr) {
        llama_sampler_accept(chain_.get(), token);
    }
}

token_id sampler::sample(const context & ctx) {
    if (chain_ == nullptr) {
        return argmax(ctx.last_logits(), vocabulary_size_);
    }
    return llama_sampler_sample(chain_.get(), ctx.handle(), -1);
}

} // namespace inkling

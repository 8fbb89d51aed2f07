#include "engine/text/sampler.h"

#include "engine/base/error.h"

#include "llama.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace inkling {

struct sampler::candidates {
    std::vector<llama_token_data> data;
};

void sampler::deleter::operator()(llama_sampler * handle) const {
    llama_sampler_free(handle);
}

float largest_logit(const float * logits, int32_t count) {
    // Independent maxima, so that the compiler may keep them in one register.
    constexpr int32_t LANES = 16;
    float             lanes[LANES];
    int32_t           not_numbers[LANES] = {};
    std::fill(lanes, lanes + LANES, -std::numeric_limits<float>::infinity());
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int32_t lane = 0; lane < LANES; ++lane) {
            const float logit = logits[i + lane];
            lanes[lane]       = logit > lanes[lane] ? logit : lanes[lane];
            not_numbers[lane] |= logit != logit ? 1 : 0;
        }
    }
    for (; i < count; ++i) {
        lanes[0] = logits[i] > lanes[0] ? logits[i] : lanes[0];
        not_numbers[0] |= logits[i] != logits[i] ? 1 : 0;
    }
    const float largest = *std::max_element(lanes, lanes + LANES);
    if (!std::isfinite(largest) || std::find(not_numbers, not_numbers + LANES, 1) != not_numbers + LANES) {
        throw engine_error(error_code::decode_failed, "The model computed logits that are not numbers");
    }
    return largest;
}

token_id argmax(const float * logits, int32_t count, float largest) {
    return static_cast<token_id>(std::find(logits, logits + count, largest) - logits);
}

float log_probability(const float * logits, int32_t count, float largest, token_id token) {
    // exp is the cost here. What is left out adds at most count * e^-20, less than 0.001 for any vocabulary.
    const float floor = largest - 20.0f;
    float       sum   = 0.0f;
    for (int32_t i = 0; i < count; ++i) {
        if (logits[i] > floor) {
            sum += std::exp(logits[i] - largest);
        }
    }
    return logits[token] - largest - std::log(sum);
}

sampler::sampler(const sampling_params & params, int32_t vocabulary_size) : vocabulary_size_(vocabulary_size) {
    if (params.temperature <= 0.0f) {
        return;
    }
    candidates_                             = std::make_unique<candidates>();
    llama_sampler_chain_params chain_params = llama_sampler_chain_default_params();
    chain_params.no_perf                    = true;
    chain_.reset(llama_sampler_chain_init(chain_params));
    const auto add = [this](llama_sampler * stage) {
        llama_sampler_chain_add(chain_.get(), stage);
    };
    if (params.top_k > 0) {
        add(llama_sampler_init_top_k(params.top_k));
    }
    if (params.top_p < 1.0f) {
        add(llama_sampler_init_top_p(params.top_p, 1));
    }
    add(llama_sampler_init_temp(params.temperature));
    add(llama_sampler_init_dist(params.seed));
}

sampler::~sampler() = default;

choice sampler::choose(const float * logits, const std::vector<token_id> * allowed, bool with_runner_up) {
    const float largest = largest_logit(logits, vocabulary_size_);
    choice      result;
    if (chain_ == nullptr) {
        if (allowed == nullptr) {
            result.token = argmax(logits, vocabulary_size_, largest);
        } else {
            // In the order of token ids, so that of equal logits the same one wins as without a constraint.
            result.token = *std::max_element(allowed->begin(), allowed->end(), [&](token_id left, token_id right) {
                return logits[left] != logits[right] ? logits[left] < logits[right] : left > right;
            });
        }
    } else {
        auto & data = candidates_->data;
        data.clear();
        if (allowed == nullptr) {
            for (token_id token = 0; token < vocabulary_size_; ++token) {
                data.push_back({token, logits[token], 0.0f});
            }
        } else {
            for (const token_id token : *allowed) {
                data.push_back({token, logits[token], 0.0f});
            }
        }
        llama_token_data_array array{data.data(), data.size(), -1, false};
        llama_sampler_apply(chain_.get(), &array);
        result.token = array.data[array.selected].id;
    }
    result.log_probability = log_probability(logits, vocabulary_size_, largest, result.token);
    if (with_runner_up) {
        const auto consider = [&](token_id token) {
            if (token != result.token && (result.runner_up == no_token || logits[token] > logits[result.runner_up])) {
                result.runner_up = token;
            }
        };
        if (allowed == nullptr) {
            for (token_id token = 0; token < vocabulary_size_; ++token) {
                consider(token);
            }
        } else {
            std::for_each(allowed->begin(), allowed->end(), consider);
        }
        if (result.runner_up != no_token) {
            result.runner_up_log_probability = result.log_probability + logits[result.runner_up] - logits[result.token];
        }
    }
    return result;
}

} // namespace inkling

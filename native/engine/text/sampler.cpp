#include "engine/text/sampler.h"

#include "engine/base/error.h"

#include "llama.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace inkling {

namespace {

// Divided by less, logits may become infinite, and their differences NaN.
constexpr float LOWEST_TEMPERATURE = 1e-6f;

} // namespace

struct sampler::candidates {
    std::vector<llama_token_data> data;
};

void sampler::deleter::operator()(llama_sampler * handle) const {
    llama_sampler_free(handle);
}

namespace {

// SIMD lanes of a loop over a vocabulary. Each lane has a result of its own, so that the compiler can vectorize the
// loop.
constexpr int32_t LANES = 16;

// Calls visit(lane, index) for each index below count. What is left over goes to lane 0.
template <typename function> void for_each_in_lanes(int32_t count, const function & visit) {
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int32_t lane = 0; lane < LANES; ++lane) {
            visit(lane, i + lane);
        }
    }
    for (; i < count; ++i) {
        visit(0, i);
    }
}

// Logits that are compared at once before each by itself, since the compiler cannot vectorize a loop that may stop.
constexpr int32_t BLOCK = 16 * LANES;

// NaN counts as less than any number.
float largest_of(const float * begin, const float * end) {
    float lanes[LANES];
    std::fill(lanes, lanes + LANES, -std::numeric_limits<float>::infinity());
    for_each_in_lanes(static_cast<int32_t>(end - begin),
                      [&](int32_t lane, int32_t i) { lanes[lane] = begin[i] > lanes[lane] ? begin[i] : lanes[lane]; });
    return *std::max_element(lanes, lanes + LANES);
}

} // namespace

float largest_logit(const float * logits, int32_t count) {
    int32_t not_numbers[LANES] = {};
    for_each_in_lanes(count, [&](int32_t lane, int32_t i) { not_numbers[lane] |= logits[i] != logits[i] ? 1 : 0; });
    const float largest = largest_of(logits, logits + count);
    if (!std::isfinite(largest) || std::find(not_numbers, not_numbers + LANES, 1) != not_numbers + LANES) {
        throw engine_error(error_code::decode_failed, "The model computed logits that are not numbers");
    }
    return largest;
}

token_id argmax(const float * logits, int32_t count, float largest) {
    const float * const end = logits + count;
    for (const float * block = logits; block < end; block += BLOCK) {
        const float * const behind = std::min(block + BLOCK, end);
        if (largest_of(block, behind) >= largest) {
            return static_cast<token_id>(std::find(block, behind, largest) - logits);
        }
    }
    return count;
}

best_two find_best_two(const float * logits, int32_t count) {
    float first[LANES];
    float second[LANES];
    std::fill(first, first + LANES, -std::numeric_limits<float>::infinity());
    std::fill(second, second + LANES, -std::numeric_limits<float>::infinity());
    const auto update = [&](int32_t lane, float logit) {
        const float smaller = logit > first[lane] ? first[lane] : logit;
        first[lane]         = logit > first[lane] ? logit : first[lane];
        second[lane]        = smaller > second[lane] ? smaller : second[lane];
    };
    for_each_in_lanes(count, [&](int32_t lane, int32_t i) { update(lane, logits[i]); });
    for (int32_t lane = 1; lane < LANES; ++lane) {
        update(0, first[lane]);
        update(0, second[lane]);
    }
    return {argmax(logits, count, first[0]), first[0], second[0]};
}

namespace {

// e^x for x of at most 0, to within 1e-6 of it; below -80 that of -80. std::exp is a function
// call, and the compiler does not vectorize loops with calls: a vocabulary of 250,000 tokens took a millisecond a
// token.
float exp_of_negative(float x) {
    constexpr float LOG2_OF_E = 1.44269504f;
    // Added and taken away again, it rounds to a whole number.
    constexpr float ROUNDER   = 12582912.0f;
    const float     power     = std::max(x, -80.0f) * LOG2_OF_E;
    const float     whole     = (power + ROUNDER) - ROUNDER;
    const float     rest      = (power - whole) * 0.69314718f;
    const float     fraction =
        1.0f + rest * (1.0f + rest * (0.5f + rest * (0.16666667f + rest * (0.041666668f + rest * 0.0083333338f))));
    return std::bit_cast<float>((static_cast<int32_t>(whole) + 127) << 23) * fraction;
}

} // namespace

float log_probability(const float * logits, int32_t count, float largest, token_id token) {
    float sums[LANES] = {};
    for_each_in_lanes(count, [&](int32_t lane, int32_t i) { sums[lane] += exp_of_negative(logits[i] - largest); });
    return logits[token] - largest - std::log(std::accumulate(sums, sums + LANES, 0.0f));
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
    add(llama_sampler_init_temp(std::max(params.temperature, LOWEST_TEMPERATURE)));
    // The one that llama.cpp takes for a random seed gives way to another.
    add(llama_sampler_init_dist(params.seed == LLAMA_DEFAULT_SEED ? LLAMA_DEFAULT_SEED - 1 : params.seed));
}

sampler::~sampler() = default;

float log_probability_among(float chosen, const std::vector<rival> & rivals) {
    float sum = 1.0f;
    for (const rival & other : rivals) {
        sum += std::exp(other.log_probability - chosen);
    }
    return -std::log(sum);
}

namespace {

// The next best tokens beside `chosen`, with their logits in place of log-probabilities.
class best_rivals {
  public:
    explicit best_rivals(token_id chosen) : chosen_(chosen) {}

    // Whether a token with this logit would be one of them.
    bool wants(float logit) const { return logit > least_; }

    void consider(token_id token, float logit) {
        if (!wants(logit) || token == chosen_) {
            return;
        }
        if (found_.size() == MAX_RIVALS) {
            found_.pop_back();
        }
        const auto worse = std::find_if(found_.begin(), found_.end(),
                                        [&](const rival & other) { return other.log_probability < logit; });
        found_.insert(worse, {token, logit});
        if (found_.size() == MAX_RIVALS) {
            least_ = found_.back().log_probability;
        }
    }

    // shift: what to add to a logit.
    std::vector<rival> take(float shift) {
        for (rival & other : found_) {
            other.log_probability += shift;
        }
        return std::move(found_);
    }

  private:
    token_id           chosen_;
    float              least_ = -std::numeric_limits<float>::infinity();
    std::vector<rival> found_;
};

// How probable a token is, and which others there were.
choice told(token_id token, const float * logits, int32_t count, float largest, const std::vector<token_id> * allowed) {
    choice result;
    result.token           = token;
    result.log_probability = log_probability(logits, count, largest, token);
    const float chosen     = logits[token];
    // A logit of minus infinity: the difference to another one is NaN.
    const bool  ruled_out  = std::isinf(chosen);
    best_rivals rivals(token);
    if (allowed == nullptr) {
        for (token_id block = 0; block < count; block += BLOCK) {
            const token_id behind = std::min(block + BLOCK, count);
            if (!rivals.wants(largest_of(logits + block, logits + behind))) {
                continue;
            }
            for (token_id other = block; other < behind; ++other) {
                rivals.consider(other, logits[other]);
            }
        }
        result.allowed_log_probability = result.log_probability;
    } else {
        float best = chosen;
        for (const token_id other : *allowed) {
            rivals.consider(other, logits[other]);
            best = std::max(best, logits[other]);
        }
        // Relative to the best one, as the power of a large difference is infinite.
        float sum = 0.0f;
        for (const token_id other : *allowed) {
            sum += std::exp(logits[other] - best);
        }
        result.allowed_log_probability = ruled_out ? chosen : chosen - best - std::log(sum);
    }
    const float shift = ruled_out ? log_probability(logits, count, largest, argmax(logits, count, largest)) - largest
                                  : result.log_probability - chosen;
    result.rivals     = rivals.take(shift);
    return result;
}

} // namespace

choice sampler::choose(const float * logits, const std::vector<token_id> * allowed) {
    const float largest = largest_logit(logits, vocabulary_size_);
    token_id    token   = no_token;
    if (chain_ == nullptr) {
        if (allowed == nullptr) {
            token = argmax(logits, vocabulary_size_, largest);
        } else {
            // In the order of token ids, so that of equal logits the same one wins as without a constraint.
            token = *std::max_element(allowed->begin(), allowed->end(), [&](token_id left, token_id right) {
                return logits[left] != logits[right] ? logits[left] < logits[right] : left > right;
            });
        }
    } else {
        auto & data = candidates_->data;
        data.clear();
        if (allowed == nullptr) {
            for (token_id candidate = 0; candidate < vocabulary_size_; ++candidate) {
                data.push_back({candidate, logits[candidate], 0.0f});
            }
        } else {
            for (const token_id candidate : *allowed) {
                data.push_back({candidate, logits[candidate], 0.0f});
            }
        }
        llama_token_data_array array{data.data(), data.size(), -1, false};
        llama_sampler_apply(chain_.get(), &array);
        token = array.data[array.selected].id;
    }
    return told(token, logits, vocabulary_size_, largest, allowed);
}

choice sampler::given(token_id token, const float * logits, const std::vector<token_id> * allowed) const {
    return told(token, logits, vocabulary_size_, largest_logit(logits, vocabulary_size_), allowed);
}

} // namespace inkling

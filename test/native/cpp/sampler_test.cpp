#include "check.h"

#include "engine/text/sampler.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace inkling;

namespace {

token_id best(const std::vector<float> & logits) {
    const auto count = static_cast<int32_t>(logits.size());
    return argmax(logits.data(), count, largest_logit(logits.data(), count));
}

} // namespace

TEST("the sampler takes the largest logit, and the first of equals") {
    CHECK_EQUAL(best({0.5f, 2.0f, 2.0f, -1.0f}), 1);
    CHECK_EQUAL(best({0.5f}), 0);
    CHECK_EQUAL(best({-std::numeric_limits<float>::infinity(), -3.0f, -2.0f}), 2);
}

TEST("the sampler finds the largest logit at any position") {
    for (int32_t count = 1; count < 70; ++count) {
        for (int32_t at = 0; at < count; ++at) {
            std::vector<float> logits(static_cast<size_t>(count), -1.0f);
            logits[static_cast<size_t>(at)] = 1.0f;
            CHECK_EQUAL(best(logits), at);
        }
    }
}

TEST("log-probabilities equal those of a softmax") {
    const std::vector<float> logits = {1.0f, 2.0f, 3.0f, -50.0f};
    double                   sum    = 0.0;
    for (const float logit : logits) {
        sum += std::exp(static_cast<double>(logit));
    }
    for (token_id token = 0; token < 4; ++token) {
        const double expected = logits[static_cast<size_t>(token)] - std::log(sum);
        CHECK(std::abs(log_probability(logits.data(), 4, 3.0f, token) - expected) < 0.001);
    }
}

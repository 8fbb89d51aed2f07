#include "check.h"

#include "engine/text/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

using namespace inkling;
using inkling_test::error_code_of;

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

TEST("log-probabilities of a whole vocabulary equal those of a softmax") {
    constexpr int32_t  COUNT = 1003;
    std::vector<float> logits;
    double             sum = 0.0;
    for (int32_t i = 0; i < COUNT; ++i) {
        logits.push_back(static_cast<float>(i * 7919 % COUNT) / 12.0f - 90.0f);
    }
    logits[17]          = -std::numeric_limits<float>::infinity();
    const float largest = largest_logit(logits.data(), COUNT);
    for (const float logit : logits) {
        sum += std::exp(static_cast<double>(logit) - largest);
    }
    for (const token_id token : {0, 16, 1002}) {
        const double expected = logits[static_cast<size_t>(token)] - largest - std::log(sum);
        CHECK(std::abs(log_probability(logits.data(), COUNT, largest, token) - expected) < 1e-5 * std::abs(expected));
    }
}

TEST("the choice and its rivals are the best of a vocabulary, wherever they stand, and the first ones of equals") {
    constexpr int32_t COUNT = 2000;
    for (int32_t turn = 0; turn < COUNT; turn += 37) {
        std::vector<float> logits;
        for (int32_t i = 0; i < COUNT; ++i) {
            // Each value stands there several times.
            logits.push_back(static_cast<float>((i + turn) * 7919 % 401));
        }
        std::vector<token_id> order(COUNT);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](token_id one, token_id other) {
            return logits[static_cast<size_t>(one)] > logits[static_cast<size_t>(other)];
        });
        const choice chosen = sampler({}, COUNT).choose(logits.data(), nullptr);
        CHECK_EQUAL(chosen.token, order[0]);
        CHECK_EQUAL(chosen.rivals.size(), MAX_RIVALS);
        for (size_t i = 0; i < chosen.rivals.size(); ++i) {
            CHECK_EQUAL(chosen.rivals[i].token, order[i + 1]);
        }
    }
}

TEST("the best two logits are found at any position, also where they are equal") {
    for (int32_t count = 2; count < 40; ++count) {
        for (int32_t at = 0; at < count; ++at) {
            for (int32_t next = 0; next < count; ++next) {
                std::vector<float> logits(static_cast<size_t>(count), -1.0f);
                logits[static_cast<size_t>(next)] = 0.5f;
                logits[static_cast<size_t>(at)]   = 1.0f;
                const best_two found              = find_best_two(logits.data(), count);
                CHECK_EQUAL(found.token, at);
                CHECK(found.first == 1.0f);
                CHECK(found.second == (next == at ? -1.0f : 0.5f));
            }
        }
    }
    std::vector<float> broken(20, 1.0f);
    broken[3]  = 2.0f;
    broken[19] = broken[5] = std::numeric_limits<float>::quiet_NaN();
    CHECK_EQUAL(find_best_two(broken.data(), 20).token, 3);
    CHECK(find_best_two(broken.data(), 20).second == 1.0f);
    const std::vector<float> equal(20, 3.0f);
    CHECK_EQUAL(find_best_two(equal.data(), 20).token, 0);
    CHECK(find_best_two(equal.data(), 20).second == 3.0f);
}

TEST("a choice knows its rivals, best first, and its probability among the allowed tokens") {
    std::vector<float> logits(100, -40.0f);
    logits[7]  = 3.0f;
    logits[20] = 2.0f;
    logits[40] = 1.0f;
    sampler    chooser({}, 100);
    const auto free = chooser.choose(logits.data(), nullptr);
    CHECK_EQUAL(free.token, 7);
    CHECK_EQUAL(free.rivals.size(), MAX_RIVALS);
    CHECK_EQUAL(free.rivals[0].token, 20);
    CHECK_EQUAL(free.rivals[1].token, 40);
    CHECK(free.allowed_log_probability == free.log_probability);
    CHECK(std::abs(free.rivals[0].log_probability - (free.log_probability - 1.0f)) < 0.001f);

    const std::vector<token_id> allowed = {20, 40};
    const auto                  among   = chooser.choose(logits.data(), &allowed);
    CHECK_EQUAL(among.token, 20);
    CHECK_EQUAL(among.rivals.size(), size_t{1});
    CHECK(std::abs(among.allowed_log_probability + std::log(1.0f + std::exp(-1.0f))) < 0.001f);
    CHECK(among.log_probability < among.allowed_log_probability);
    CHECK(std::abs(log_probability_among(among.log_probability, among.rivals) - among.allowed_log_probability) <
          0.001f);
}

TEST("a given token that is far less likely than another keeps its probability among the allowed ones") {
    std::vector<float> logits(100, -40.0f);
    logits[7]                           = 60.0f;
    const std::vector<token_id> allowed = {7, 20};
    const choice                given   = sampler({}, 100).given(20, logits.data(), &allowed);
    CHECK(std::abs(given.log_probability + 100.0f) < 0.001f);
    CHECK(std::abs(given.allowed_log_probability + 100.0f) < 0.001f);
}

TEST("each seed gives the same tokens each time") {
    const std::vector<float> logits(1000, 1.0f);
    for (const uint32_t seed : {uint32_t{0}, uint32_t{7}, std::numeric_limits<uint32_t>::max()}) {
        sampling_params params;
        params.temperature = 1.0f;
        params.seed        = seed;
        sampler one(params, 1000);
        sampler other(params, 1000);
        for (int i = 0; i < 8; ++i) {
            CHECK_EQUAL(one.choose(logits.data(), nullptr).token, other.choose(logits.data(), nullptr).token);
        }
    }
}

TEST("the lowest temperatures choose the likeliest token") {
    std::vector<float> logits(100, -20.0f);
    logits[3] = 20.0f;
    logits[9] = 19.0f;
    for (const float temperature : {1e-3f, 1e-20f, 1e-38f, 1e-42f}) {
        sampling_params params;
        params.temperature = temperature;
        sampler chooser(params, 100);
        CHECK_EQUAL(chooser.choose(logits.data(), nullptr).token, 3);
    }
}

TEST("a token that the model rules out is told as such where no other is allowed") {
    std::vector<float> logits(100, 1.0f);
    logits[3] = logits[7]               = -std::numeric_limits<float>::infinity();
    const std::vector<token_id> allowed = {3, 7};
    for (const float temperature : {0.0f, 0.8f}) {
        sampling_params params;
        params.temperature = temperature;
        sampler    chooser(params, 100);
        const auto chosen = chooser.choose(logits.data(), &allowed);
        CHECK(chosen.token == 3 || chosen.token == 7);
        CHECK(!std::isnan(chosen.log_probability));
        CHECK(!std::isnan(chosen.allowed_log_probability));
        for (const rival & other : chosen.rivals) {
            CHECK(!std::isnan(other.log_probability));
        }
    }
    const auto taken = sampler({}, 100).given(3, logits.data(), nullptr);
    CHECK(taken.log_probability == -std::numeric_limits<float>::infinity());
    CHECK_EQUAL(taken.rivals.size(), MAX_RIVALS);
    for (const rival & other : taken.rivals) {
        CHECK(std::abs(other.log_probability + std::log(98.0f)) < 0.001f);
    }
}

TEST("a row with a logit that is not a number gives no choice") {
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), infinity}) {
        for (size_t count = 1; count < 40; ++count) {
            for (size_t at = 0; at < count; ++at) {
                std::vector<float> logits(count, -1.0f);
                logits[at] = wrong;
                CHECK_EQUAL(error_code_of([&] { best(logits); }), "decodeFailed");
            }
        }
    }
    for (const float everywhere : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
        const std::vector<float>    logits(100, everywhere);
        const std::vector<token_id> allowed = {3, 7};
        for (const float temperature : {0.0f, 0.8f}) {
            sampling_params params;
            params.temperature = temperature;
            sampler chooser(params, 100);
            CHECK_EQUAL(error_code_of([&] { chooser.choose(logits.data(), nullptr); }), "decodeFailed");
            CHECK_EQUAL(error_code_of([&] { chooser.choose(logits.data(), &allowed); }), "decodeFailed");
        }
    }
}

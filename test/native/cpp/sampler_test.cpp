#include "check.h"

#include "engine/sampler.h"

#include <limits>
#include <vector>

TEST("argmax takes the largest, and the first of equals") {
    const std::vector<float> logits = {0.5f, 2.0f, 2.0f, -1.0f};
    CHECK_EQUAL(inkling::argmax(logits.data(), 4), 1);
    CHECK_EQUAL(inkling::argmax(logits.data(), 1), 0);
    const std::vector<float> low = {-std::numeric_limits<float>::infinity(), -3.0f, -2.0f};
    CHECK_EQUAL(inkling::argmax(low.data(), 3), 2);
}

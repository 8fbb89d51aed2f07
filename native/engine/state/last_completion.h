#pragma once

#include "engine/base/tokens.h"
#include "engine/text/sampler.h"

#include <cstdint>
#include <string>
#include <vector>

namespace inkling {

// A token that was chosen by argmax, and the bytes that it then had to begin with or lie within.
struct completion_token {
    choice      chosen;
    std::string forced;
};

// What the model said follows the first `start` tokens of the sequence. Typing along it needs no evaluation: the same
// tokens would be chosen again. The last one may not be evaluated yet.
struct last_completion {
    int32_t                       start = 0;
    std::vector<completion_token> tokens;
    // After the last of them the model chose to end.
    bool                          ended = false;
    bool                          valid = false;

    void clear() { *this = {}; }
};

} // namespace inkling

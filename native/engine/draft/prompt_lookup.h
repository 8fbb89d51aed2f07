#pragma once

#include "engine/base/tokens.h"

#include <cstdint>
#include <vector>

namespace inkling {

struct looked_up {
    std::vector<token_id> tokens;
    int32_t               matched = 0; // tokens before them that are the text's end, at most max_match
};

// Drafts what followed an earlier occurrence of the end of the text, because code repeats itself. Needs no MTP head.
// The place with the longest match wins (min_match to max_match tokens), the latest of equal ones. At most `limit`
// tokens; empty if there is none.
looked_up prompt_lookup(const std::vector<token_id> & tokens, int32_t limit, int32_t max_match = 8,
                        int32_t min_match = 2);

} // namespace inkling

#include "engine/draft/prompt_lookup.h"

#include <algorithm>

namespace inkling {

looked_up prompt_lookup(const std::vector<token_id> & tokens, int32_t limit, int32_t max_match, int32_t min_match) {
    const auto count       = static_cast<int32_t>(tokens.size());
    int32_t    best_length = 0;
    int32_t    best_end    = 0;
    // One pass from the end: at each earlier place, how long does the match backwards reach?
    for (int32_t end = count - 1; end >= min_match && best_length < max_match; --end) {
        int32_t length = 0;
        while (length < max_match && length < end &&
               tokens[static_cast<size_t>(end - 1 - length)] == tokens[static_cast<size_t>(count - 1 - length)]) {
            ++length;
        }
        if (length >= min_match && length > best_length) {
            best_length = length;
            best_end    = end;
        }
    }
    if (best_length == 0) {
        return {};
    }
    const int32_t last = best_end + std::min(count - best_end, limit);
    return {{tokens.begin() + best_end, tokens.begin() + last}, best_length};
}

} // namespace inkling

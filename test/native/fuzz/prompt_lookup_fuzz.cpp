// Lookup against its definition, by trying every earlier place.
#include "require.h"

#include "engine/draft/prompt_lookup.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <vector>

using namespace inkling;

namespace {

// The number of tokens before `end` that equal those at the end of the text.
int32_t match_at(const std::vector<token_id> & tokens, size_t end, int32_t most) {
    int32_t length = 0;
    while (length < most && static_cast<size_t>(length) < end &&
           tokens[end - 1 - static_cast<size_t>(length)] == tokens[tokens.size() - 1 - static_cast<size_t>(length)]) {
        ++length;
    }
    return length;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size) {
    FuzzedDataProvider    input(data, size);
    const auto            limit     = input.ConsumeIntegralInRange<int32_t>(0, INT32_MAX);
    const auto            min_match = input.ConsumeIntegralInRange<int32_t>(1, 12);
    const auto            max_match = input.ConsumeIntegralInRange<int32_t>(min_match, 12);
    // Few different tokens, so that texts repeat themselves.
    std::vector<token_id> tokens;
    while (input.remaining_bytes() > 0) {
        tokens.push_back(input.ConsumeIntegralInRange<token_id>(0, 3));
    }

    const looked_up found = prompt_lookup(tokens, limit, max_match, min_match);
    int32_t         best  = 0;
    size_t          end   = 0;
    for (size_t place = 1; place < tokens.size(); ++place) {
        const int32_t length = match_at(tokens, place, max_match);
        if (length >= min_match && length >= best) {
            best = length;
            end  = place;
        }
    }
    REQUIRE(found.matched == best);
    if (best == 0) {
        REQUIRE(found.tokens.empty());
        return 0;
    }
    const size_t count = std::min(tokens.size() - end, static_cast<size_t>(limit));
    REQUIRE(found.tokens.size() == count);
    REQUIRE(std::equal(found.tokens.begin(), found.tokens.end(), tokens.begin() + static_cast<std::ptrdiff_t>(end)));
    return 0;
}

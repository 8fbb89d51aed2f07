#include "engine/slot/copy_pace.h"

#include <algorithm>

namespace inkling {

namespace {

// How often the tokens before a checkpoint of this kind are likely to be evaluated again without it. Few edits are far
// from the last one; a prompt's section boundary serves the requests of many keys.
double expected_returns(checkpoint_kind kind) {
    switch (kind) {
        case checkpoint_kind::interval: return 0.25;
        case checkpoint_kind::completion: return 1.0;
        case checkpoint_kind::boundary: return 4.0;
    }
    return 1.0;
}

void keep_best(double & best, double value) {
    if (value > 0.0) {
        best = best > 0.0 ? std::min(best, value) : value;
    }
}

} // namespace

void copy_pace::observe_batch(int32_t tokens, double ms) {
    keep_best(token_ms_, ms / tokens);
}

void copy_pace::observe_copy(uint64_t bytes, double ms) {
    if (bytes > 0) {
        keep_best(byte_ms_, ms / static_cast<double>(bytes));
    }
}

double copy_pace::tokens_of(uint64_t bytes) const {
    return token_ms_ > 0.0 ? static_cast<double>(bytes) * byte_ms_ / token_ms_ : 0.0;
}

bool copy_pace::pays(checkpoint_kind kind, int32_t gap, uint64_t bytes) const {
    return gap * expected_returns(kind) >= tokens_of(bytes);
}

} // namespace inkling

#include "engine/generate/checkpoint_pace.h"

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

void keep_best(double & best, double ms) {
    if (ms > 0.0) {
        best = best > 0.0 ? std::min(best, ms) : ms;
    }
}

} // namespace

void checkpoint_pace::observe_batch(int32_t tokens, double ms) {
    keep_best(token_ms_, ms / tokens);
}

void checkpoint_pace::observe_copy(double ms) {
    keep_best(copy_ms_, ms);
}

bool checkpoint_pace::pays(checkpoint_kind kind, int32_t gap) const {
    return copy_ms_ == 0.0 || token_ms_ == 0.0 || gap * token_ms_ * expected_returns(kind) >= copy_ms_;
}

} // namespace inkling

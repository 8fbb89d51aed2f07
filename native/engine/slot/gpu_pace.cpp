#include "engine/slot/gpu_pace.h"

#include <algorithm>

namespace inkling {

namespace {

// How often the tokens before a checkpoint of this kind are likely to be evaluated again without it. The next keys
// return to the end of what is typed, and to a place within the answer only where the user leaves it there. Few edits
// are far from the last one; a prompt's section boundary serves the requests of many keys.
double expected_returns(checkpoint_kind kind) {
    switch (kind) {
        case checkpoint_kind::interval:
        case checkpoint_kind::completion: return 0.25;
        case checkpoint_kind::typed: return 1.0;
        case checkpoint_kind::boundary: return 4.0;
    }
    return 1.0;
}

void keep_best(double & best, double value) {
    if (value > 0.0) {
        best = best > 0.0 ? std::min(best, value) : value;
    }
}

// A single slow batch counts half, and no more than twice what was known.
void correct(double & known, double ms) {
    if (known > 0.0) {
        known = (known + std::min(ms, 2.0 * known)) / 2.0;
    }
}

// Nothing makes a GPU faster than it is.
void follow(double & known, double ms) {
    if (known <= 0.0 || ms < known) {
        known = ms;
    } else {
        correct(known, ms);
    }
}

// Up to so many rows, a batch takes about as long as one of nine.
constexpr int32_t MOST_LONG_ROWS = 64;

} // namespace

void gpu_pace::observe_batch(int32_t tokens, double ms) {
    keep_best(token_ms_, ms / tokens);
    if (tokens == SHORT_ROWS) {
        correct(short_ms_, ms);
    } else if (tokens > SHORT_ROWS && tokens <= MOST_LONG_ROWS) {
        correct(long_ms_, ms);
    }
}

void gpu_pace::observe_short(double short_ms, double long_ms) {
    follow(short_ms_, short_ms);
    follow(long_ms_, long_ms);
}

void gpu_pace::observe_copy(uint64_t bytes, double ms, bool fresh) {
    if (bytes > 0) {
        keep_best(fresh ? fresh_byte_ms_ : byte_ms_, ms / static_cast<double>(bytes));
    }
}

double gpu_pace::copy_ms(uint64_t bytes, bool fresh) const {
    return static_cast<double>(bytes) * (fresh ? std::max(fresh_byte_ms_, byte_ms_) : byte_ms_);
}

double gpu_pace::at_once_ms(int32_t tokens) const {
    return std::max(token_ms_ * tokens, long_ms_);
}

double gpu_pace::evaluation_ms(int32_t tokens) const {
    if (short_ms_ <= 0.0) {
        return token_ms_ * tokens;
    }
    const double in_short = short_ms_ / SHORT_ROWS * tokens;
    return tokens <= SHORT_ROWS ? in_short : std::min(in_short, at_once_ms(tokens));
}

int32_t gpu_pace::first_of(int32_t tokens) const {
    if (tokens <= SHORT_ROWS || short_ms_ <= 0.0) {
        return tokens;
    }
    const int32_t batches = (tokens + SHORT_ROWS - 1) / SHORT_ROWS;
    return short_ms_ * batches < at_once_ms(tokens) ? SHORT_ROWS : tokens;
}

double gpu_pace::tokens_of(uint64_t bytes) const {
    return token_ms_ > 0.0 ? copy_ms(bytes, /*fresh =*/true) / token_ms_ : 0.0;
}

bool gpu_pace::pays(checkpoint_kind kind, int32_t gap, uint64_t bytes, bool fresh) const {
    if (token_ms_ <= 0.0) {
        return true;
    }
    return evaluation_ms(gap) * expected_returns(kind) >= copy_ms(bytes, fresh);
}

} // namespace inkling

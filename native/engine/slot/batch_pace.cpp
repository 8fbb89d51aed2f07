#include "engine/slot/batch_pace.h"

#include <algorithm>

namespace inkling {

int32_t batch_pace::next(int32_t most) const {
    return std::min(size_, most);
}

void batch_pace::observe(int32_t tokens, double ms) {
    if (ms <= 0.0) {
        return;
    }
    if (ms > BATCH_LIMIT_MS) {
        size_ = std::max(smallest_, std::min(size_, tokens) / 2 / smallest_ * smallest_);
    } else if (tokens >= size_ && 2.0 * ms <= BATCH_LIMIT_MS) {
        size_ *= 2;
    }
}

} // namespace inkling

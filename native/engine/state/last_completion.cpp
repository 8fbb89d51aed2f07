#include "engine/state/last_completion.h"

#include <algorithm>

namespace inkling {

std::optional<size_t> last_completion::place_of(const std::vector<token_id> & wanted,
                                                const std::vector<token_id> & held, uint64_t path) const {
    const auto count = static_cast<int32_t>(wanted.size());
    if (!known_ || path != path_ || count < start_ || static_cast<int32_t>(held.size()) < start_ ||
        !std::equal(held.begin(), held.begin() + start_, wanted.begin())) {
        return std::nullopt;
    }
    size_t next = 0;
    for (int32_t i = start_; i < count; ++i, ++next) {
        if (next >= tokens_.size() || tokens_[next].chosen.token != wanted[static_cast<size_t>(i)]) {
            return std::nullopt;
        }
    }
    return next;
}

void last_completion::begin(int32_t start, uint64_t path) {
    clear();
    start_ = start;
    path_  = path;
    known_ = true;
}

void last_completion::record(const choice & chosen, const std::string & forced) {
    if (known_) {
        tokens_.push_back({chosen, forced});
    }
}

void last_completion::keep(size_t count) {
    tokens_.resize(count);
    ended_ = false;
}

} // namespace inkling

#include "engine/draft/proposed_text.h"

#include <algorithm>

namespace inkling {

void proposed_text::follow(const std::vector<token_id> & said) {
    for (; said_ < static_cast<int32_t>(said.size()); ++said_) {
        const token_id token = said[static_cast<size_t>(said_)];
        if (departed_) {
            look_for_meeting(token);
        } else if (position_ < static_cast<int32_t>(tokens_.size()) &&
                   tokens_[static_cast<size_t>(position_)] == token) {
            ++position_;
        } else {
            depart(token);
        }
    }
}

void proposed_text::depart(token_id token) {
    departed_ = true;
    equal_.assign(tokens_.size(), 0);
    look_for_meeting(token);
}

void proposed_text::look_for_meeting(token_id token) {
    // From the end, since each entry grows from the one before it.
    int32_t best = -1;
    for (auto at = static_cast<int32_t>(tokens_.size()) - 1; at >= position_; --at) {
        const auto    index  = static_cast<size_t>(at);
        const int32_t before = at > position_ ? equal_[index - 1] : 0;
        equal_[index]        = tokens_[index] == token ? before + 1 : 0;
        // The first of equally long ones wins.
        if (equal_[index] >= MEETING && (best < 0 || equal_[index] >= equal_[static_cast<size_t>(best)])) {
            best = at;
        }
    }
    if (best >= 0) {
        departed_ = false;
        met_      = true;
        position_ = stretch_ = best + 1;
    }
}

std::vector<token_id> proposed_text::next(int32_t most) const {
    if (departed_) {
        return {};
    }
    int32_t count = static_cast<int32_t>(tokens_.size()) - position_;
    if (met_) {
        count = std::min(count, std::max(FIRST_DRAFT, position_ - stretch_));
    }
    const auto first = tokens_.begin() + position_;
    return {first, first + std::max(0, std::min(count, most))};
}

} // namespace inkling

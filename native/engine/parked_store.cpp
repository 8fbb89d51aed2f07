#include "engine/parked_store.h"

#include <algorithm>

namespace inkling {

namespace {

// What a sequence keeps at least, as long as it is kept: the way back to the seams of its prompt.
constexpr size_t FEW_CHECKPOINTS = 4;

} // namespace

uint64_t parked_store::bytes() const {
    return bytes(lane_kind::completion) + bytes(lane_kind::chat);
}

uint64_t parked_store::bytes(lane_kind lane) const {
    uint64_t sum = 0;
    for (const parked_sequence & item : items_) {
        sum += item.lane == lane ? item.bytes() : 0;
    }
    return sum;
}

void parked_store::add(parked_sequence item) {
    item.parked_at      = ++clock_;
    const auto value_of = [&](const parked_sequence & each) {
        const auto age = static_cast<double>(1 + clock_ - each.parked_at);
        return static_cast<double>(each.copy.tokens.size()) / (static_cast<double>(each.bytes()) * age);
    };
    const auto is_full = [&] {
        return !items_.empty() && bytes() + item.bytes() > budget_;
    };
    for (size_t oldest = 0; oldest < items_.size() && is_full(); ++oldest) {
        items_[oldest].copy.thin_checkpoints(FEW_CHECKPOINTS);
    }
    while (is_full()) {
        items_.erase(std::min_element(items_.begin(), items_.end(), [&](const auto & left, const auto & right) {
            return value_of(left) < value_of(right);
        }));
    }
    items_.push_back(std::move(item));
}

parked_sequence parked_store::take(size_t index) {
    parked_sequence item = std::move(items_[index]);
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(index));
    return item;
}

void parked_store::clear(lane_kind lane) {
    std::erase_if(items_, [&](const parked_sequence & item) { return item.lane == lane; });
}

} // namespace inkling

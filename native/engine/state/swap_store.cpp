#include "engine/state/swap_store.h"

#include <algorithm>

namespace inkling {

namespace {

// What a swapped-out prompt always keeps: the ways back to its section boundaries.
constexpr size_t FEW_CHECKPOINTS = 4;

} // namespace

uint64_t swap_store::bytes() const {
    return bytes(slot_kind::completion) + bytes(slot_kind::chat);
}

uint64_t swap_store::bytes(slot_kind slot) const {
    uint64_t sum = 0;
    for (const swapped_prompt & item : items_) {
        sum += item.slot == slot ? item.bytes() : 0;
    }
    return sum;
}

std::vector<state_copy> swap_store::add(swapped_prompt item) {
    std::vector<state_copy> dropped;
    item.swapped_at     = ++clock_;
    const auto value_of = [&](const swapped_prompt & each) {
        const auto age = static_cast<double>(1 + clock_ - each.swapped_at);
        return static_cast<double>(each.copy.tokens.size()) / (static_cast<double>(each.bytes()) * age);
    };
    const auto is_full = [&] {
        return !items_.empty() && bytes() + item.bytes() > budget_;
    };
    for (size_t oldest = 0; oldest < items_.size() && is_full(); ++oldest) {
        items_[oldest].copy.thin_checkpoints(FEW_CHECKPOINTS, dropped);
    }
    while (is_full()) {
        const auto worst = std::min_element(items_.begin(), items_.end(), [&](const auto & left, const auto & right) {
            return value_of(left) < value_of(right);
        });
        worst->copy.thin_checkpoints(0, dropped);
        items_.erase(worst);
    }
    items_.push_back(std::move(item));
    return dropped;
}

swapped_prompt swap_store::take(size_t index) {
    swapped_prompt item = std::move(items_[index]);
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(index));
    return item;
}

void swap_store::clear(slot_kind slot) {
    std::erase_if(items_, [&](const swapped_prompt & item) { return item.slot == slot; });
}

} // namespace inkling

#include "engine/state/checkpoint_store.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace inkling {

namespace {

double return_likelihood(checkpoint_kind kind) {
    switch (kind) {
        case checkpoint_kind::interval: return 1.0;
        case checkpoint_kind::boundary: return 8.0;
        case checkpoint_kind::completion:
        case checkpoint_kind::typed: return 32.0;
    }
    return 1.0;
}

bool shorter(const checkpoint & item, int32_t length) {
    return item.length < length;
}

} // namespace

checkpoint_store::checkpoint_store(uint64_t budget_bytes) : budget_(budget_bytes) {}

state_copy checkpoint_store::take_buffer(size_t bytes, const state_copy::allocator_type & memory) {
    // If the budget is used up, the next checkpoint takes the place and the memory of the cheapest one.
    state_copy buffer(memory);
    if (spare_.empty() && needs_eviction(bytes)) {
        evict_one();
    }
    if (!spare_.empty()) {
        buffer = std::move(spare_.back());
        spare_.pop_back();
        spare_bytes_ -= buffer.size();
    }
    buffer.resize(bytes);
    return buffer;
}

void checkpoint_store::recycle(state_copy && buffer) {
    if (bytes() + buffer.size() <= budget_) {
        spare_bytes_ += buffer.size();
        spare_.push_back(std::move(buffer));
    }
}

bool checkpoint_store::add(checkpoint item) {
    if (item.state.size() > budget_) {
        return false;
    }
    const auto place = std::lower_bound(items_.begin(), items_.end(), item.length, shorter);
    bytes_ += item.state.size();
    if (place != items_.end() && place->length == item.length) {
        bytes_ -= place->state.size();
        item.kind = std::max(item.kind, place->kind);
        recycle(std::move(place->state));
        *place = std::move(item);
    } else {
        items_.insert(place, std::move(item));
    }
    shrink_to(budget_);
    return true;
}

void checkpoint_store::truncate(int32_t length) {
    while (!items_.empty() && items_.back().length > length) {
        bytes_ -= items_.back().state.size();
        recycle(std::move(items_.back().state));
        items_.pop_back();
    }
}

void checkpoint_store::clear() {
    for (checkpoint & item : items_) {
        bytes_ -= item.state.size();
        recycle(std::move(item.state));
    }
    items_.clear();
}

std::vector<checkpoint> checkpoint_store::take_all() {
    bytes_ = 0;
    return std::exchange(items_, {});
}

void checkpoint_store::put_all(std::vector<checkpoint> items) {
    clear();
    items_ = std::move(items);
    for (const checkpoint & item : items_) {
        bytes_ += item.state.size();
    }
    shrink_to(budget_);
}

const checkpoint * checkpoint_store::find(int32_t length) const {
    const auto place = std::lower_bound(items_.begin(), items_.end(), length, shorter);
    return place != items_.end() && place->length == length ? &*place : nullptr;
}

std::vector<int32_t> checkpoint_store::lengths() const {
    std::vector<int32_t> result;
    result.reserve(items_.size());
    for (const checkpoint & item : items_) {
        result.push_back(item.length);
    }
    return result;
}

int32_t checkpoint_store::nearest_at_most(int32_t length) const {
    const auto above = std::lower_bound(items_.begin(), items_.end(), length + 1, shorter);
    return above == items_.begin() ? 0 : std::prev(above)->length;
}

void checkpoint_store::shrink_to(uint64_t limit, std::vector<state_copy> * dropped) {
    while (bytes() > limit) {
        if (!spare_.empty()) {
            spare_bytes_ -= spare_.back().size();
            spare_.pop_back();
        } else {
            // Its memory may become a spare buffer, which goes in the next turn.
            evict_one(dropped);
        }
    }
}

void checkpoint_store::give(std::vector<state_copy> dropped) {
    for (state_copy & buffer : dropped) {
        if (spare_.size() >= MOST_GIVEN) {
            return;
        }
        recycle(std::move(buffer));
    }
}

void checkpoint_store::evict_one(std::vector<state_copy> * into) {
    size_t  cheapest = 0;
    double  lowest   = std::numeric_limits<double>::max();
    int32_t previous = 0;
    for (size_t i = 0; i < items_.size(); ++i) {
        // A return to a place before the next checkpoint starts here. If the next one lies in the completion, the next
        // keystroke may be such a return.
        const bool   is_last       = i + 1 == items_.size();
        const bool   to_completion = !is_last && (items_[i + 1].kind == checkpoint_kind::completion ||
                                                items_[i + 1].kind == checkpoint_kind::typed);
        const double likelihood    = return_likelihood(to_completion ? checkpoint_kind::completion : items_[i].kind);
        const double replay        = items_[i].length - previous;
        const double value         = replay * likelihood / static_cast<double>(items_[i].state.size());
        if (value < lowest) {
            lowest   = value;
            cheapest = i;
        }
        previous = items_[i].length;
    }
    bytes_ -= items_[cheapest].state.size();
    if (into != nullptr) {
        into->push_back(std::move(items_[cheapest].state));
    } else {
        recycle(std::move(items_[cheapest].state));
    }
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(cheapest));
}

} // namespace inkling

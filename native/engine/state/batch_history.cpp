#include "engine/state/batch_history.h"

#include <algorithm>

namespace inkling {

namespace {

constexpr uint64_t SEED        = 0x9E3779B97F4A7C15ull;
constexpr uint64_t FREE_MARKER = ~0ull;

} // namespace

uint64_t batch_history::mix(uint64_t path, uint64_t value) {
    uint64_t mixed = (path ^ value) * 0xBF58476D1CE4E5B9ull;
    mixed ^= mixed >> 29;
    return mixed == 0 ? 1 : mixed;
}

void batch_history::append(int32_t count) {
    const bool free = count <= exact_rows_ || exact_rows_ == 0;
    for (; !free && block_ > 0 && count >= 2 * block_; count -= block_) {
        append_batch(block_, free);
    }
    append_batch(count, free);
}

void batch_history::append_batch(int32_t count, bool free) {
    length_ += count;
    if (free && !batches_.empty() && batches_.back().free) {
        batches_.back().end = length_;
        return;
    }
    const uint64_t before = batches_.empty() ? SEED : batches_.back().path;
    batches_.push_back({length_, mix(before, free ? FREE_MARKER : static_cast<uint64_t>(length_)), free});
}

void batch_history::truncate(int32_t length) {
    while (!batches_.empty() && batches_.back().end > length) {
        const int32_t start = batches_.size() > 1 ? batches_[batches_.size() - 2].end : 0;
        batch &       last  = batches_.back();
        if (start >= length) {
            batches_.pop_back();
            continue;
        }
        last.end = length;
        if (!last.free) {
            // No fresh evaluation passes through a part of a long batch.
            last.path = mix(last.path, static_cast<uint64_t>(length));
        }
    }
    length_ = length;
}

void batch_history::clear() {
    batches_.clear();
    length_ = 0;
}

uint64_t batch_history::path_at(int32_t length) const {
    if (length == 0) {
        return SEED;
    }
    int32_t start = 0;
    for (const batch & item : batches_) {
        if (length == item.end || (item.free && start < length && length < item.end)) {
            return item.path;
        }
        start = item.end;
    }
    return 0;
}

int32_t batch_history::end_of(int32_t length) const {
    return std::find_if(batches_.begin(), batches_.end(), [&](const batch & item) { return item.end >= length; })->end;
}

int32_t block_of(int32_t batch_size) {
    return batch_size >= 2 * BATCH_BLOCK ? BATCH_BLOCK : 0;
}

std::vector<int32_t> batch_ends(const std::vector<int32_t> & boundaries, int32_t total, int32_t batch_size) {
    std::vector<int32_t> ends;
    int32_t              position = 0;
    const int32_t        last     = boundaries.empty() ? total : std::min(boundaries.back(), total);
    const int32_t        block    = block_of(batch_size);
    while (position < last) {
        const auto    next  = std::upper_bound(boundaries.begin(), boundaries.end(), position);
        const int32_t limit = next == boundaries.end() ? last : std::min(last, *next);
        if (block > 0) {
            position = limit - position >= 2 * block ? position + block : limit;
        } else {
            position = std::min(position + batch_size, limit);
        }
        ends.push_back(position);
    }
    return ends;
}

int32_t batch_end(const std::vector<int32_t> & ends, const std::vector<int32_t> & boundaries, int32_t position,
                  int32_t most) {
    auto end = std::upper_bound(ends.begin(), ends.end(), position);
    if (end == ends.end()) {
        return position;
    }
    const auto    boundary = std::upper_bound(boundaries.begin(), boundaries.end(), position);
    const int32_t furthest = boundary == boundaries.end() ? position + most : std::min(*boundary, position + most);
    while (end + 1 != ends.end() && end[1] <= furthest) {
        ++end;
    }
    return *end;
}

} // namespace inkling

#include "engine/state/memory_policy.h"

#include "engine/draft/draft_policy.h"

#include <algorithm>

namespace inkling {

namespace {

constexpr uint64_t SMALL_SNAPSHOT_BUDGET = 64ull << 20;
constexpr uint64_t MOST_CHECKPOINT_BYTES = 1024ull << 20;
constexpr uint64_t LEAST_SWAP_BYTES      = 64ull << 20;
constexpr uint64_t MOST_SWAP_BYTES       = 2048ull << 20;

} // namespace

int32_t most_snapshots(uint64_t weights_bytes) {
    return weights_bytes < LARGE_WEIGHTS ? 2 : MAX_DRAFT;
}

int32_t affordable_snapshots(uint64_t weights_bytes, uint64_t plane_bytes, int32_t held) {
    const uint64_t budget = std::max(SMALL_SNAPSHOT_BUDGET, weights_bytes / 10);
    if (plane_bytes * static_cast<uint64_t>(1 + held) <= budget) {
        return held;
    }
    return std::clamp(static_cast<int32_t>(budget / plane_bytes) - 1, 1, held);
}

uint64_t checkpoint_budget(int64_t asked, uint64_t weights_bytes) {
    return asked >= 0 ? static_cast<uint64_t>(asked)
                      : std::clamp(weights_bytes / 8, SMALL_SNAPSHOT_BUDGET, MOST_CHECKPOINT_BYTES);
}

uint64_t swap_budget(int64_t asked, uint64_t weights_bytes) {
    return asked >= 0 ? static_cast<uint64_t>(asked) : std::clamp(weights_bytes / 4, LEAST_SWAP_BYTES, MOST_SWAP_BYTES);
}

} // namespace inkling

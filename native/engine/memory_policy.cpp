#include "engine/memory_policy.h"

#include "engine/load_request.h"

#include <algorithm>

namespace inkling {

namespace {

constexpr uint64_t SMALL_SNAPSHOT_BUDGET = 64ull << 20;
constexpr uint64_t MOST_CHECKPOINT_BYTES = 1024ull << 20;
constexpr uint64_t LEAST_PARKED_BYTES    = 64ull << 20;
constexpr uint64_t MOST_PARKED_BYTES     = 2048ull << 20;
// Compute buffers, graphs, logits and state planes of models up to some ten billion parameters.
constexpr uint64_t GENEROUS_FIXED_BYTES  = 1024ull << 20;

} // namespace

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

uint64_t parked_budget(int64_t asked, uint64_t weights_bytes) {
    return asked >= 0 ? static_cast<uint64_t>(asked)
                      : std::clamp(weights_bytes / 4, LEAST_PARKED_BYTES, MOST_PARKED_BYTES);
}

uint64_t generous_estimate(const gguf_header & header, const load_request & request) {
    const auto count = [](int64_t value) {
        return static_cast<uint64_t>(std::max<int64_t>(value, 0));
    };
    const auto length = [&](int32_t asked) {
        return count(asked > 0 ? asked : std::min<int64_t>(header.context_length, 8192));
    };
    const uint64_t tokens = length(request.lanes.context.context_length) + length(request.lanes.chat_context_length);
    const uint64_t heads  = std::max<uint64_t>(1, count(header.head_count));
    const uint64_t width  = std::max(count(header.embedding_length),
                                     heads * std::max(count(header.key_length), count(header.value_length)));
    const uint64_t cache  = tokens * count(header.block_count) * 2 * width * sizeof(uint16_t);
    return header.tensor_bytes + header.tensor_bytes / 2 + cache + GENEROUS_FIXED_BYTES +
           2 * checkpoint_budget(request.lanes.checkpoint_budget_bytes, header.tensor_bytes) +
           parked_budget(request.lanes.parked_budget_bytes, header.tensor_bytes);
}

} // namespace inkling

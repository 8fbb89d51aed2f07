#pragma once

#include <cstdint>

namespace inkling {

// How much memory an engine allows itself for what it could do without; pure.

// Backend snapshots that a recurrent model asks for before the size of its state is known.
constexpr int32_t MOST_SNAPSHOTS = 6;

// Of `held` snapshots, those that are worth their memory: all of a small model, fewer where a state plane is large, but
// at least one. Precondition: held >= 1, plane_bytes > 0.
int32_t affordable_snapshots(uint64_t weights_bytes, uint64_t plane_bytes, int32_t held);

// Bytes for each slot's checkpoints: those asked for or, where that is negative, an eighth of the weights, 64 MiB to
// 1 GiB.
uint64_t checkpoint_budget(int64_t asked, uint64_t weights_bytes);

// Bytes for swapped-out prompts, of all slots: those asked for or, where that is negative, a quarter of the weights, 64
// MiB to 2 GiB.
uint64_t swap_budget(int64_t asked, uint64_t weights_bytes);

} // namespace inkling

#pragma once

#include <cstdint>

namespace inkling {

// Pure: how much memory an engine uses for what it could do without.

// Backend snapshots that a recurrent model asks for before the size of its state is known: one for each draft that may
// pay. Each slows plain decoding of a small model by two per cent, and a large one's not measurably.
int32_t most_snapshots(uint64_t weights_bytes);

// How many of `held` snapshots are worth their memory: all with a small model, fewer where a state plane is large, but
// at least one. Precondition: held >= 1, plane_bytes > 0.
int32_t affordable_snapshots(uint64_t weights_bytes, uint64_t plane_bytes, int32_t held);

// Bytes for each slot's checkpoints: `asked` or, if that is negative, an eighth of the weights, 64 MiB to 1 GiB.
uint64_t checkpoint_budget(int64_t asked, uint64_t weights_bytes);

// Bytes for the swapped-out prompts of all slots: `asked` or, if that is negative, a quarter of the weights, 64 MiB to
// 2 GiB.
uint64_t swap_budget(int64_t asked, uint64_t weights_bytes);

} // namespace inkling

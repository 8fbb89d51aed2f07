#pragma once

#include "engine/gguf_header.h"
#include <cstdint>

namespace inkling {

struct load_request;

// How much memory an engine allows itself for what it could do without; pure.

// Backend snapshots that a recurrent model asks for before the size of its state is known.
constexpr int32_t MOST_SNAPSHOTS = 6;

// Of `held` snapshots, those that are worth their memory: all of a small model, fewer where a state plane is large, but
// at least one. Precondition: held >= 1, plane_bytes > 0.
int32_t affordable_snapshots(uint64_t weights_bytes, uint64_t plane_bytes, int32_t held);

// Bytes for each lane's checkpoints: those asked for or, where that is negative, an eighth of the weights, 64 MiB to
// 1 GiB.
uint64_t checkpoint_budget(int64_t asked, uint64_t weights_bytes);

// Bytes for parked sequences, of all lanes: those asked for or, where that is negative, a quarter of the weights, 64
// MiB to 2 GiB.
uint64_t parked_budget(int64_t asked, uint64_t weights_bytes);

// More than the engine can possibly come to hold, both lanes in use and every budget used up: every layer as if it had
// attention with a key and a value head for each query head.
uint64_t generous_estimate(const gguf_header & header, const load_request & request);

} // namespace inkling

#pragma once

#include "engine/lane_set.h"

#include <cstdint>

namespace inkling {

// Of one lane; zero while it does not exist. Bytes throughout.
struct lane_memory {
    uint64_t kv          = 0;
    uint64_t recurrent   = 0;
    uint64_t checkpoints = 0;
    uint64_t parked      = 0; // whole sequences in host memory
    uint64_t compute     = 0;
    uint64_t outputs     = 0;

    uint64_t total() const { return kv + recurrent + checkpoints + parked + compute + outputs; }
};

// Bytes throughout. The parts are disjoint and sum to what the engine holds; those that lanes have are the sums over
// both.
struct memory_report {
    uint64_t    weights     = 0; // of the trunk, with embeddings and head
    uint64_t    mtp_weights = 0;
    uint64_t    kv          = 0; // key and value caches of trunk and MTP head
    uint64_t    recurrent   = 0; // state planes, the backend's snapshots among them
    uint64_t    checkpoints = 0; // in host memory
    uint64_t    parked      = 0; // whole sequences in host memory
    uint64_t    compute     = 0;
    uint64_t    outputs     = 0; // logits and hidden states in host memory
    uint64_t    vocabulary  = 0; // the byte index for token healing
    lane_memory completion;
    lane_memory chat;
    uint64_t    device_total = 0; // on Metal the recommended working set
    uint64_t    device_free  = 0;

    uint64_t total() const {
        return weights + mtp_weights + kv + recurrent + checkpoints + parked + compute + outputs + vocabulary;
    }
};

// What a loaded model and its lanes hold, as their allocators say. Precondition: on the engine thread.
memory_report measure_memory(const lane_set & lanes);

// Gives memory that was freed but kept by the allocator back to the system, where the allocator does that only when
// asked (glibc).
void release_freed_memory();

// Resident bytes of this process now and at its highest; 0 where the platform does not say.
uint64_t process_rss();
uint64_t process_peak_rss();

} // namespace inkling

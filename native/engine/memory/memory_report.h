#pragma once

#include "engine/slot/slot_set.h"

#include <cstdint>
#include <string>
#include <vector>

namespace inkling {

// What one slot holds, in bytes; zero while it does not exist.
struct slot_memory {
    uint64_t kv          = 0; // key and value caches of trunk and MTP head
    uint64_t recurrent   = 0; // state planes, the backend's snapshots among them
    uint64_t checkpoints = 0; // in host memory
    uint64_t swapped     = 0; // whole sequences in host memory
    uint64_t compute     = 0;
    uint64_t graphs      = 0; // what llama.cpp builds and keeps its compute graphs in
    uint64_t outputs     = 0; // logits and hidden states in host memory

    uint64_t total() const { return kv + recurrent + checkpoints + swapped + compute + graphs + outputs; }
};

// Bytes throughout. The parts are disjoint and sum to what the engine holds.
struct memory_parts {
    uint64_t    weights     = 0; // of the trunk, with embeddings and head; once, however they are mapped or repacked
    uint64_t    mtp_weights = 0;
    uint64_t    vocabulary  = 0; // token tables and the byte index for token healing
    slot_memory completion;
    slot_memory chat;

    // The sum of both slots.
    slot_memory slots() const;
    uint64_t    total() const { return weights + mtp_weights + vocabulary + slots().total(); }
};

// What lies in the memory of one device; everything else is in host memory.
struct device_memory {
    std::string name;        // ggml's, such as Vulkan0
    std::string description; // the driver's
    uint64_t    weights = 0;
    uint64_t    context = 0; // KV cache and recurrent state
    uint64_t    compute = 0;
    uint64_t    total   = 0; // of the device; on Metal the recommended working set
    uint64_t    free    = 0;
};

struct memory_report : memory_parts {
    // The CPU, whose memory is the host's, then each GPU that holds something.
    std::vector<device_memory> devices;
};

// What the contexts of a slot hold, with recurrent state counted as kv, and without checkpoints. mtp may be null.
slot_memory measure_contexts(const context & ctx, const mtp_head * mtp);

// What a loaded model and its slots hold, as their allocators say. Precondition: on the engine thread.
memory_report measure_memory(const slot_set & slots);

} // namespace inkling

#pragma once

#include "engine/context.h"

#include <cstdint>

namespace inkling {

// Bytes throughout.
struct memory_report {
    uint64_t weights      = 0;
    uint64_t context      = 0; // KV cache and recurrent state
    uint64_t compute      = 0;
    uint64_t outputs      = 0; // host buffers for logits
    uint64_t device_total = 0; // on Metal the recommended working set
    uint64_t device_free  = 0;
};

// What a loaded model and its context hold, as their allocators say. Precondition: on the engine thread.
memory_report measure_memory(const model & loaded, const context & ctx);

// Resident bytes of this process now and at its highest; 0 where the platform does not say.
uint64_t process_rss();
uint64_t process_peak_rss();

} // namespace inkling

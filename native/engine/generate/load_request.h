#pragma once

#include "engine/generate/slot_set.h"
#include "engine/llama/model.h"

#include <cstdint>

namespace inkling {

struct load_request {
    model_load_params model;
    slot_set_params   slots;
    // Most bytes that the engine may hold; 0 = what this machine has to spare.
    uint64_t          memory_limit_bytes = 0;
};

} // namespace inkling

#pragma once

#include "engine/lane_set.h"
#include "engine/model.h"

#include <cstdint>

namespace inkling {

struct load_request {
    model_load_params model;
    lane_set_params   lanes;
    // Most bytes that the engine may hold; 0 = what this machine has to spare.
    uint64_t          memory_limit_bytes = 0;
};

} // namespace inkling

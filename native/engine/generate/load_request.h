#pragma once

#include "engine/generate/slot_set.h"
#include "engine/llama/model.h"

namespace inkling {

struct load_request {
    model_load_params model;
    slot_set_params   slots;
};

} // namespace inkling

#pragma once

#include "engine/llama/model.h"
#include "engine/slot/slot_set.h"

namespace inkling {

struct load_request {
    model_load_params model;
    slot_set_params   slots;
};

} // namespace inkling

#pragma once

#include "engine/base/abort_flag.h"
#include "engine/llama/model.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace inkling {

// The key vectors of a prompt as they go into the cache: after the projection, norm and rotation by position.
struct key_vectors {
    // The layers of the model that have attention, ascending.
    std::vector<int32_t> layers;
    int32_t              heads    = 0; // key and value heads of a layer
    int32_t              tokens   = 0;
    int32_t              head_dim = 0;
    // [layer][head][token][head_dim], the last index running fastest.
    std::vector<float>   values;
};

// For debugging. Evaluates the tokens, batch_size at a time, in a separate context, which is freed again. Reads the
// keys where a graph writes them to the cache, so it works for every architecture with such a cache. Gives no layers if
// it was aborted. Precondition: tokens is not empty. Throws engine_error: invalid_argument (a token out of range),
// out_of_memory, decode_failed, unsupported_model (no attention, or layers of different widths).
key_vectors inspect_keys(const std::shared_ptr<const model> & loaded, const std::vector<token_id> & tokens,
                         int32_t batch_size, const abort_flag & abort);

} // namespace inkling

#pragma once

#include "engine/llama/gguf_header.h"
#include "engine/memory/memory_report.h"
#include "engine/slot/load_request.h"

#include <cstdint>
#include <string>

namespace inkling {

// What loading would take, known from the file's header alone.
struct memory_estimate {
    // As the report after the load would say: with the completion slot, without checkpoints and swapped-out prompts.
    memory_parts parts;
    // The most that requests add to that slot: graphs, of small batches too, rows that wait for the MTP head, a state
    // to come back to.
    uint64_t     growth    = 0;
    // The chat slot once it is in use, which is not part of `parts`.
    uint64_t     chat_slot = 0;
    // The bytes of the weights, and of each slot, that lie in the memory of a GPU.
    std::string  device;                // ggml's name of it, where the request names one
    uint64_t     device_free       = 0; // now
    uint64_t     device_weights    = 0;
    uint64_t     device_completion = 0;
    uint64_t     device_chat       = 0;
    // The layers of the model: the most that gpu_layers can put on a GPU, without the output layer.
    int32_t      layer_count       = 0;
    // What the checkpoints of each slot, and the swapped-out prompts of all slots, may hold in addition.
    uint64_t     checkpoint_budget = 0;
    uint64_t     swap_budget       = 0;
    int32_t      context_length    = 0;
    // What each token of context adds to `parts`.
    uint64_t     bytes_per_token   = 0;

    // The least that completes anything. Checkpoints, swapped-out prompts and the chat slot take what is left.
    uint64_t needed() const { return parts.total() + growth; }
};

// Has llama.cpp build model and contexts without their memory, and asks what they would have allocated. So it works for
// every architecture and backend. It takes the time to read the vocabulary, and two state planes of memory if the model
// is recurrent. Callable on any thread. Throws what model::load throws, and out_of_memory.
memory_estimate estimate_memory(const load_request & request);

// An upper bound of what the engine can hold, with both slots in use and every budget used up: each layer counts as
// attention with a key and a value head for each query head.
uint64_t generous_estimate(const gguf_header & header, const load_request & request);

// Refuses a load that cannot fit into `available` bytes, if that is not 0: throws out_of_memory with the numbers and,
// if there is one, a context length that would fit. Returns the request's slots with budgets for checkpoints and
// swapped-out prompts that fit into the rest, after the chat slot.
slot_set_params require_memory(const load_request & request, uint64_t available);

} // namespace inkling

#pragma once

#include "engine/generate/load_request.h"
#include "engine/llama/gguf_header.h"
#include "engine/memory/memory_report.h"

#include <cstdint>

namespace inkling {

// What loading would take, known from the file's header alone.
struct memory_estimate {
    // As the report after the load would say: with the completion slot, without checkpoints and swapped-out prompts.
    memory_parts parts;
    // What that slot's first requests add: graphs, rows that wait for the MTP head, a state to come back to.
    uint64_t     growth            = 0;
    // The chat slot once it is in use, which is not part of `parts`.
    uint64_t     chat_slot         = 0;
    // What each slot's checkpoints, and all slots' swapped-out prompts, may come to hold besides.
    uint64_t     checkpoint_budget = 0;
    uint64_t     swap_budget       = 0;
    int32_t      context_length    = 0;
    // Of `parts`, what each token of context adds.
    uint64_t     bytes_per_token   = 0;

    // Less than this is not enough to complete anything. Checkpoints, swapped-out prompts and the chat slot take what
    // is left.
    uint64_t needed() const { return parts.total() + growth; }
};

// Builds model and contexts without their memory, as llama.cpp can, and asks what they would have allocated: so it
// holds for every architecture and backend. Takes as long as reading the vocabulary, and two state planes of memory
// where the model is recurrent. Callable on any thread. Throws what model::load throws, and out_of_memory.
memory_estimate estimate_memory(const load_request & request);

// More than the engine can possibly come to hold, both slots in use and every budget used up: every layer as if it had
// attention with a key and a value head for each query head.
uint64_t generous_estimate(const gguf_header & header, const load_request & request);

// Refuses a load that cannot fit into memory_limit_bytes, or into what the machine has to spare where that is 0: throws
// out_of_memory with the numbers and, if there is one, a context length that would fit. Returns the request's slots
// with budgets for checkpoints and swapped-out prompts that fit into the rest, in which the chat slot comes first.
slot_set_params require_memory(const load_request & request);

} // namespace inkling

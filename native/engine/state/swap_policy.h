#pragma once

#include "engine/base/tokens.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace inkling {

struct swap_query {
    // Tokens that the present sequence would keep for what is wanted.
    int32_t              keep    = 0;
    // How many of the tokens that it would lose belong to another text than the wanted one.
    int32_t              foreign = 0;
    // What each swapped-out prompt would keep.
    std::vector<int32_t> swapped_keeps;
    // How many tokens are evaluated in the time of a copy, where that is known.
    double               copy_tokens = 0.0;
};

struct swap_plan {
    bool                  swap_out = false; // the present sequence
    std::optional<size_t> swap_in;          // this swapped-out prompt
};

// Pure. On the CPU a copy of the state costs about as much as evaluating a few dozen tokens, so nothing moves for less
// than that. What is swapped out is copied twice.
swap_plan choose_swap(const swap_query & query);

// Pure. How many of the held tokens after the first `keep` begin a run of four that the wanted tokens do not have. An
// edited text has almost none of these, another text almost only these.
int32_t count_foreign(const std::vector<token_id> & held, int32_t keep, const std::vector<token_id> & wanted);

} // namespace inkling

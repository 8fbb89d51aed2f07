#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace inkling {

// What a sequence must do to hold a prefix of the wanted tokens and nothing else.
enum class reuse_action {
    append,    // everything held is wanted: go on after it
    roll_back, // take back the last tokens in the backend
    restore,   // go back to a checkpoint and evaluate from there
    rebuild,   // forget everything
};

const char * to_string(reuse_action action);

struct reuse_query {
    int32_t              held           = 0; // tokens whose state the sequence holds
    int32_t              common         = 0; // of these, how many equal the wanted tokens; 0 <= common <= held
    int32_t              wanted         = 0; // tokens of the request; at least 1
    // How many tokens the backend can take back right now: for attention all, for recurrent state those that it has
    // snapshots of.
    int32_t              rollback_limit = 0;
    // Lengths at which a checkpoint was taken, ascending, each at most held.
    std::vector<int32_t> checkpoints;
    // Lengths at which a state may be kept, because going on from it gives the same numbers as a fresh evaluation: the
    // ends of batches, ascending, and any length from free_from to free_to. What is held behind that went through a
    // batch that a fresh evaluation has not.
    std::vector<int32_t> ends;
    int32_t              free_from = 0;
    int32_t              free_to   = std::numeric_limits<int32_t>::max();
};

struct reuse_plan {
    reuse_action action = reuse_action::rebuild;
    // Tokens whose state is kept, always less than wanted: the last wanted token must be evaluated for its logits.
    int32_t      keep   = 0;
};

// Pure. Chooses the action that leaves the fewest tokens to evaluate. Among equal ones it takes the cheapest: the
// enumeration begins with it.
reuse_plan choose_reuse(const reuse_query & query);

} // namespace inkling

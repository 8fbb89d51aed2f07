#include "engine/state/reuse_policy.h"

#include <algorithm>

namespace inkling {

const char * to_string(reuse_action action) {
    switch (action) {
        case reuse_action::append: return "append";
        case reuse_action::roll_back: return "rollBack";
        case reuse_action::restore: return "restore";
        case reuse_action::rebuild: return "rebuild";
    }
    return "rebuild";
}

reuse_plan choose_reuse(const reuse_query & query) {
    const int32_t useful  = std::min(query.common, query.wanted - 1);
    const auto    allowed = [&](int32_t length) {
        return length == 0 || (length >= query.free_from && length <= query.free_to) ||
               std::binary_search(query.ends.begin(), query.ends.end(), length);
    };
    if (useful == query.held && allowed(useful)) {
        // An empty sequence is appended to as well.
        return {reuse_action::append, useful};
    }
    reuse_plan    best{reuse_action::rebuild, 0};
    // The backend goes back to any of its last tokens; the highest that is allowed is best.
    const int32_t lowest = std::max(1, query.held - query.rollback_limit);
    for (int32_t length = useful; length >= lowest; --length) {
        if (length < query.held && allowed(length)) {
            best = {reuse_action::roll_back, length};
            break;
        }
    }
    const auto above = std::upper_bound(query.checkpoints.begin(), query.checkpoints.end(), useful);
    for (auto item = above; item != query.checkpoints.begin();) {
        --item;
        if (*item <= best.keep) {
            break;
        }
        if (allowed(*item)) {
            best = {reuse_action::restore, *item};
            break;
        }
    }
    return best;
}

} // namespace inkling

// The part of a generation that needs no evaluation: where the user typed along what was generated last, the same
// tokens are the answer again.
#include "engine/generate/generation_run.h"

#include <algorithm>

namespace inkling {

std::optional<size_t> generation_run::place_in_last_completion() const {
    const last_completion & live  = slot_.live;
    const auto              count = static_cast<int32_t>(assumed_.size());
    const auto &            held  = slot_.seq.tokens();
    if (!live.valid || count < live.start || slot_.seq.length() < live.start ||
        !std::equal(held.begin(), held.begin() + live.start, assumed_.begin())) {
        return std::nullopt;
    }
    size_t next = 0;
    for (int32_t i = live.start; i < count; ++i, ++next) {
        if (next >= live.tokens.size() || live.tokens[next].chosen.token != assumed_[static_cast<size_t>(i)]) {
            return std::nullopt;
        }
    }
    return next;
}

bool generation_run::holds_prompt() {
    const auto count = static_cast<int32_t>(assumed_.size());
    if (place_in_last_completion() || slot_.seq.plan(assumed_, prompt_.boundaries).keep >= count - 1) {
        result_.metrics.reuse         = reuse_action::append;
        result_.metrics.reused_tokens = count;
        return true;
    }
    slot_.live.clear();
    return false;
}

void generation_run::replay_last_completion() {
    const std::optional<size_t> place = sampler_.deterministic() ? place_in_last_completion() : std::nullopt;
    if (!place) {
        slot_.live.clear();
        return;
    }
    const last_completion & live  = slot_.live;
    size_t                  next  = *place;
    result_.metrics.reuse         = reuse_action::append;
    result_.metrics.reused_tokens = result_.metrics.prompt_tokens;
    // A token chosen within fewer forced bytes is the choice within more, if it fits them; not the other way round.
    for (; next < live.tokens.size() && !ended() && !interrupted(); ++next) {
        const completion_token & item = live.tokens[next];
        if (!forced_.starts_with(item.forced) || !fits_forced(slot_.vocabulary.piece(item.chosen.token))) {
            break;
        }
        if (is_end(item.chosen.token)) {
            end(stop_reason::end_of_text);
            return;
        }
        // Its runner-up is known only from its logits.
        if (request_.runners_up && item.chosen.runner_up == no_token) {
            break;
        }
        emit(item.chosen);
        ++result_.metrics.replayed_tokens;
    }
    if (!ended() && next == live.tokens.size() && live.ended && forced_.empty()) {
        end(stop_reason::end_of_text);
    }
    if (!ended()) {
        slot_.live.tokens.resize(next);
        slot_.live.ended = false;
    }
}

} // namespace inkling

#include "engine/generate/completion_replay.h"

namespace inkling {

completion_replay::completion_replay(const generation_request & request, slot & on, answer & out,
                                     const interruptions & stops, generation_metrics & metrics)
    : request_(request), slot_(on), answer_(out), interruptions_(stops), metrics_(metrics) {}

void completion_replay::run() {
    const bool only_evaluates = request_.max_tokens == 0;
    if (!answer_.ended() && only_evaluates && prompt_held()) {
        count_as_reused();
        answer_.end(stop_reason::max_tokens);
        return;
    }
    const bool may_replay = !answer_.ended() && !only_evaluates && answer_.deterministic();
    if (const auto from = may_replay ? place() : std::nullopt) {
        count_as_reused();
        replay_from(*from);
    } else {
        slot_.forget_completion();
    }
}

void completion_replay::count_as_reused() {
    metrics_.reuse         = reuse_action::append;
    metrics_.reused_tokens = metrics_.prompt_tokens;
}

std::optional<size_t> completion_replay::place() const {
    if (!slot_.last().known()) {
        return std::nullopt;
    }
    return slot_.last().place_of(answer_.text_tokens(), slot_.seq().tokens(),
                                 slot_.seq().path_behind(answer_.length(), answer_.boundaries()));
}

bool completion_replay::prompt_held() const {
    return place() || slot_.seq().plan(answer_.text_tokens(), answer_.boundaries()).keep >= answer_.length() - 1;
}

void completion_replay::replay_from(size_t place) {
    const std::vector<completion_token> & tokens = slot_.last().tokens();
    size_t                                next   = place;
    // A token chosen within fewer forced bytes is also the choice within more, if it fits them. The reverse is not
    // true.
    for (; next < tokens.size() && !answer_.ended() && !interruptions_.end_if_due(answer_); ++next) {
        const completion_token & item = tokens[next];
        if (!answer_.forced().starts_with(item.forced) || !answer_.fits(item.chosen.token)) {
            break;
        }
        if (answer_.is_end(item.chosen.token)) {
            answer_.end(stop_reason::end_of_text);
            return;
        }
        answer_.say(answer_.within_forced(item));
        ++metrics_.replayed_tokens;
    }
    if (!answer_.ended() && next == tokens.size() && slot_.last().ended() && answer_.forced().empty()) {
        answer_.end(stop_reason::end_of_text);
    }
    if (!answer_.ended()) {
        slot_.keep_completion(next);
    }
}

} // namespace inkling

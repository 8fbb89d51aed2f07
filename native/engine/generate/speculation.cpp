#include "engine/generate/speculation.h"

#include <algorithm>

namespace inkling {

speculation::speculation(const generation_request & request, slot & on, answer & out, interruptions & stops,
                         mtp_session & mtp, generation_metrics & metrics)
    : request_(request),
      slot_(on),
      answer_(out),
      interruptions_(stops),
      mtp_(mtp),
      metrics_(metrics),
      drafts_(request, on, out, mtp, metrics) {}

bool speculation::run_round(choice & next) {
    const draft           guess = drafts_.make(next.token);
    std::vector<token_id> batch{next.token};
    batch.insert(batch.end(), guess.tokens.begin(), guess.tokens.end());
    const auto count   = static_cast<int32_t>(batch.size());
    const bool by_copy = count > 1 && guess.by_copy;
    if (by_copy) {
        slot_.set_savepoint();
    }
    slot_.set_hidden_rows(mtp_.following());
    const int32_t position = slot_.seq().length();
    const double  before   = interruptions_.working_ms();
    if (!slot_.append(batch.data(), count, logit_rows::all,
                      interruptions_.cut_of(answer_.text_tokens(), answer_.length()))) {
        return false;
    }
    slot_.statistics().observe_verify(count - 1, interruptions_.working_ms() - before);
    metrics_.evaluated_tokens += count;
    ++metrics_.rounds;

    const int32_t accepted = verify(guess, next);
    mtp_.show(batch.data(), accepted + 1, position);
    if (accepted < count - 1) {
        metrics_.evaluated_tokens += slot_.take_back(answer_.text_tokens().data(), position + 1 + accepted, by_copy);
    }
    return true;
}

int32_t speculation::verify(const draft & guess, choice & next) {
    const auto    offered  = static_cast<int32_t>(guess.tokens.size());
    const int32_t accepted = request_.speculation == speculation_mode::optimistic ? accept_unverified(guess, next)
                                                                                  : accept_equal(guess, next);
    metrics_.drafted_tokens += offered;
    metrics_.accepted_draft_tokens += accepted;
    for (int32_t depth = 0; depth < std::min(offered, MAX_DRAFT); ++depth) {
        ++metrics_.offered_by_depth[static_cast<size_t>(depth)];
        metrics_.accepted_by_depth[static_cast<size_t>(depth)] += depth < accepted ? 1 : 0;
    }
    return accepted;
}

int32_t speculation::accept_unverified(const draft & guess, choice & next) {
    const auto offered  = static_cast<int32_t>(guess.tokens.size());
    int32_t    accepted = 0;
    for (; accepted < offered && !answer_.ended(); ++accepted) {
        const token_id token = guess.tokens[static_cast<size_t>(accepted)];
        if (!answer_.fits(token)) {
            break;
        }
        // The token was not chosen, but the row of logits tells how probable it was.
        answer_.say(answer_.given(token, slot_.ctx().logits(accepted)));
    }
    if (!answer_.ended()) {
        next = answer_.choose(slot_.ctx().logits(accepted));
    }
    return accepted;
}

int32_t speculation::accept_equal(const draft & guess, choice & next) {
    const auto offered  = static_cast<int32_t>(guess.tokens.size());
    int32_t    accepted = 0;
    while (!answer_.ended()) {
        next = answer_.choose(slot_.ctx().logits(accepted));
        if (accepted == offered || next.token != guess.tokens[static_cast<size_t>(accepted)]) {
            break;
        }
        ++accepted;
        slot_.record(next, answer_.forced());
        answer_.say(next);
    }
    learn(guess, accepted, next.token);
    return accepted;
}

void speculation::learn(const draft & guess, int32_t accepted, token_id next) {
    const auto offered  = static_cast<int32_t>(guess.tokens.size());
    // What would have come after the end of the answer was not seen.
    const bool seen     = accepted == offered && !answer_.ended() && guess.withheld != no_token;
    const int  right    = accepted + (seen && next == guess.withheld ? 1 : 0);
    const int  compared = answer_.ended() ? accepted : offered + (seen ? 1 : 0);
    if (guess.source == draft_source::proposal) {
        return;
    }
    slot_.statistics().observe_acceptance(guess.source, compared, right,
                                          guess.buckets.empty() ? nullptr : guess.buckets.data());
    learn_from_unused(guess, accepted, next);
}

void speculation::learn_from_unused(const draft & guess, int32_t accepted, token_id next) {
    std::vector<token_id> said(guess.tokens.begin(), guess.tokens.begin() + accepted);
    if (!answer_.ended()) {
        said.push_back(next);
    }
    const std::vector<token_id> & found = guess.unused.tokens;
    const auto                    seen  = static_cast<int32_t>(std::min(found.size(), said.size()));
    const auto                    wrong = std::mismatch(found.begin(), found.begin() + seen, said.begin()).first;
    const std::vector<int32_t>    buckets(static_cast<size_t>(seen),
                                          acceptance_record::match_bucket(guess.unused.matched));
    slot_.statistics().observe_acceptance(draft_source::lookup, seen, static_cast<int32_t>(wrong - found.begin()),
                                          buckets.data());
}

} // namespace inkling

// The part of generation_run that guesses ahead: where drafts come from, how they are verified and taken back.
#include "engine/base/error.h"
#include "engine/generate/generation_run.h"

#include <algorithm>

namespace inkling {

namespace {

// A head whose drafts stopped paying is tried again after so many generations, for so many rounds.
constexpr int32_t PROBE_INTERVAL = 64;
constexpr int32_t PROBE_ROUNDS   = 4;

// A head that could not evaluate so often is not asked again: each time costs a generation some of its time.
constexpr int32_t MOST_MTP_FAILURES = 3;

} // namespace

bool generation_run::mtp_may_pay() const {
    if (slot_.mtp == nullptr || slot_.mtp_failures >= MOST_MTP_FAILURES ||
        request_.speculation == speculation_mode::off || !request_.drafts.mtp) {
        return false;
    }
    if (request_.speculation == speculation_mode::optimistic || (reads_ahead() && !slot_.costs.measured())) {
        return true;
    }
    draft_limits limits;
    limits.mtp     = bounds(MAX_DRAFT).longest();
    limits.by_copy = bounds(MAX_DRAFT).by_copy();
    if (choose_draft(slot_.costs, slot_.acceptance, limits).source == draft_source::mtp) {
        return true;
    }
    return perfect_drafts_pay(slot_.costs, limits) && ++slot_.since_probe >= PROBE_INTERVAL;
}

draft_bounds generation_run::bounds(int32_t room) const {
    draft_bounds result;
    result.recurrent  = slot_.seq.recurrent();
    result.snapshots  = slot_.ctx.snapshot_limit();
    result.exact_rows = slot_.ctx.exact_rows();
    result.rows       = slot_.ctx.max_logit_rows();
    result.room       = room;
    result.verified   = request_.speculation != speculation_mode::optimistic;
    return result;
}

generation_run::draft generation_run::make_draft(const choice & next) {
    const int32_t      length = slot_.seq.length();
    const draft_bounds here   = bounds(
          std::min(request_.max_tokens - static_cast<int32_t>(result_.tokens.size()), slot_.ctx.length() - length - 1));
    const int32_t most = here.longest();
    if (request_.speculation == speculation_mode::off || most == 0) {
        return {};
    }
    const bool mtp = use_mtp_ && slot_.mtp->ready(length);
    if (request_.speculation == speculation_mode::optimistic) {
        return mtp ? draft_with_mtp(next.token, most, 0.0) : draft{};
    }

    // The old suggestion serves as long as the output has followed it.
    std::vector<token_id> remembered;
    const size_t          said = result_.tokens.size();
    if (said < suggestion_.size() && std::equal(result_.tokens.begin(), result_.tokens.end(), suggestion_.begin())) {
        remembered.assign(suggestion_.begin() + static_cast<std::ptrdiff_t>(said),
                          suggestion_.begin() + static_cast<std::ptrdiff_t>(
                                                    std::min(suggestion_.size(), said + static_cast<size_t>(most))));
    }
    looked_up found = request_.drafts.lookup ? prompt_lookup(assumed_, most) : looked_up();

    draft_limits limits;
    limits.old_suggestion = static_cast<int32_t>(remembered.size());
    limits.lookup         = static_cast<int32_t>(found.tokens.size());
    limits.lookup_bucket  = acceptance_record::match_bucket(found.matched);
    limits.mtp            = mtp ? most : 0;
    limits.catch_up       = mtp && slot_.mtp->pending() > MAX_DRAFT ? slot_.mtp->pending() : 0;
    limits.rounds_left    = expect_rounds(slot_.typical_tokens, static_cast<int32_t>(said),
                                          request_.max_tokens - static_cast<int32_t>(said));
    limits.by_copy        = here.by_copy();
    draft_choice best     = choose_draft(slot_.costs, slot_.acceptance, limits);
    if (best.source == draft_source::none && mtp && slot_.since_probe >= PROBE_INTERVAL) {
        best.source       = draft_source::mtp;
        best.length       = 1;
        best.rate         = 0.0;
        slot_.since_probe = ++probes_ >= PROBE_ROUNDS ? 0 : slot_.since_probe;
    }
    draft      result;
    const auto take = [&](const std::vector<token_id> & tokens) {
        result.source = best.source;
        for (int32_t i = 0; i < best.length && !is_end(tokens[static_cast<size_t>(i)]); ++i) {
            result.tokens.push_back(tokens[static_cast<size_t>(i)]);
        }
    };
    switch (best.source) {
        case draft_source::none: break;
        // How deep it goes is decided draft by draft.
        case draft_source::mtp:
            result = draft_with_mtp(next.token, best.rate > 0.0 ? most : best.length, best.rate);
            break;
        case draft_source::lookup:
            take(found.tokens);
            result.buckets.assign(result.tokens.size(), limits.lookup_bucket);
            return result;
        case draft_source::old_suggestion: take(remembered); break;
    }
    result.unused = std::move(found);
    return result;
}

void generation_run::give_up_mtp(const std::exception & error) {
    // The trunk holds what it held: only the head's own context may be half-way.
    const std::string_view why    = error.what();
    result_.metrics.draft_failure = why.substr(0, why.find('\n'));
    ++slot_.mtp_failures;
    use_mtp_ = false;
    slot_.mtp->clear();
}

void generation_run::show_mtp(const token_id * tokens, int32_t count, int32_t position) {
    if (!slot_.ctx.hidden_rows()) {
        return;
    }
    if (!reads_ahead()) {
        slot_.mtp->observe(slot_.ctx, tokens, count, position);
        return;
    }
    try {
        slot_.mtp->read(slot_.ctx, tokens, count, position);
    } catch (const std::exception & error) {
        give_up_mtp(error);
    }
}

generation_run::draft generation_run::draft_with_mtp(token_id next, int32_t length, double rate) {
    try {
        return ask_mtp(next, length, rate);
    } catch (const std::exception & error) {
        give_up_mtp(error);
        return {};
    }
}

generation_run::draft generation_run::ask_mtp(token_id next, int32_t length, double rate) {
    draft result;
    result.source       = draft_source::mtp;
    const bool adaptive = request_.speculation == speculation_mode::automatic;
    next_draft one;
    one.by_copy = bounds(MAX_DRAFT).by_copy();
    for (; one.drafted < length; ++one.drafted) {
        const bool first = one.drafted == 0;
        one.made         = false;
        one.likely       = slot_.acceptance.at_depth(draft_source::mtp, one.drafted);
        if (adaptive && !first && !worth_another_draft(slot_.costs, one, rate)) {
            break;
        }
        const auto      start = std::chrono::steady_clock::now();
        const int32_t   rows  = first ? slot_.mtp->pending() : 0;
        const mtp_draft guess = first ? slot_.mtp->begin_draft(next, slot_.seq.length()) : slot_.mtp->continue_draft();
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
        ++result_.metrics.mtp_steps;
        // What a round leaves to catch up on belongs to a draft's own cost.
        if (rows <= MAX_DRAFT) {
            slot_.costs.observe_draft(elapsed.count());
        }
        if (is_end(guess.token)) {
            break;
        }
        const int bucket = acceptance_record::margin_bucket(guess.margin);
        result.buckets.push_back(bucket);
        one.made   = true;
        one.likely = slot_.acceptance.at_bucket(draft_source::mtp, one.drafted, bucket);
        if (adaptive && !worth_another_draft(slot_.costs, one, rate)) {
            result.withheld = guess.token;
            break;
        }
        one.chance *= one.likely;
        result.tokens.push_back(guess.token);
    }
    slot_.mtp->end_draft();
    return result;
}

int32_t generation_run::verify(const draft & guess, choice & next) {
    const auto offered  = static_cast<int32_t>(guess.tokens.size());
    int32_t    accepted = 0;
    if (request_.speculation == speculation_mode::optimistic) {
        for (; accepted < offered && !ended(); ++accepted) {
            emit({guess.tokens[static_cast<size_t>(accepted)], 0.0f});
        }
        if (!ended()) {
            next = choose(offered);
        }
    } else {
        while (true) {
            next = choose(accepted);
            if (accepted == offered || next.token != guess.tokens[static_cast<size_t>(accepted)]) {
                break;
            }
            ++accepted;
            record_live(next);
            emit(next);
            if (ended()) {
                break;
            }
        }
        // What would have come behind the end was not seen.
        const bool seen     = accepted == offered && !ended() && guess.withheld != no_token;
        const int  right    = accepted + (seen && next.token == guess.withheld ? 1 : 0);
        const int  compared = ended() ? accepted : offered + (seen ? 1 : 0);
        slot_.acceptance.observe(guess.source, compared, right, guess.buckets.empty() ? nullptr : guess.buckets.data());
        learn_from_unused(guess, accepted, next);
    }
    result_.metrics.drafted_tokens += offered;
    result_.metrics.accepted_draft_tokens += accepted;
    for (int32_t depth = 0; depth < offered; ++depth) {
        ++result_.metrics.offered_by_depth[static_cast<size_t>(depth)];
        result_.metrics.accepted_by_depth[static_cast<size_t>(depth)] += depth < accepted ? 1 : 0;
    }
    return accepted;
}

void generation_run::learn_from_unused(const draft & guess, int32_t accepted, const choice & next) {
    std::vector<token_id> said(guess.tokens.begin(), guess.tokens.begin() + accepted);
    if (!ended()) {
        said.push_back(next.token);
    }
    const std::vector<token_id> & found = guess.unused.tokens;
    const auto                    seen  = static_cast<int32_t>(std::min(found.size(), said.size()));
    const auto                    wrong = std::mismatch(found.begin(), found.begin() + seen, said.begin()).first;
    const std::vector<int32_t>    buckets(static_cast<size_t>(seen),
                                          acceptance_record::match_bucket(guess.unused.matched));
    slot_.acceptance.observe(draft_source::lookup, seen, static_cast<int32_t>(wrong - found.begin()), buckets.data());
}

void generation_run::take_back(int32_t count, bool by_copy) {
    if (count == 0) {
        return;
    }
    const int32_t target = slot_.seq.length() - count;
    if (!by_copy) {
        slot_.seq.truncate(target);
        return;
    }
    slot_.seq.return_to_savepoint();
    slot_.ctx.set_hidden_rows(false);
    const int32_t replay = target - slot_.seq.length();
    slot_.seq.append(assumed_.data() + slot_.seq.length(), replay, logit_rows::none);
    result_.metrics.evaluated_tokens += replay;
}

} // namespace inkling

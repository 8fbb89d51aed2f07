#include "engine/generate/draft_maker.h"

#include "engine/base/elapsed.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace inkling {

namespace {

// Rounds of one probe, which tries a head whose drafts stopped paying.
constexpr int32_t PROBE_ROUNDS = 4;

} // namespace

draft_maker::draft_maker(const generation_request & request, slot & on, const answer & out, mtp_session & mtp,
                         generation_metrics & metrics)
    : request_(request), slot_(on), statistics_(on.statistics()), answer_(out), mtp_(mtp), metrics_(metrics) {}

void draft_maker::begin() {
    if (!request_.draft.empty()) {
        suggestion_ = slot_.loaded_model().tokenize(answer_.prompt_forced() + request_.draft, /*parse_special =*/false);
    }
    if (!request_.proposal.empty() && request_.speculation == speculation_mode::automatic) {
        proposed_ = proposed_text(
            slot_.loaded_model().tokenize(answer_.prompt_forced() + request_.proposal, /*parse_special =*/false));
    }
    switch (judge_mtp()) {
        case mtp_prospect::none: mtp_.set_following(false); break;
        case mtp_prospect::possible:
            statistics_.count_generation_without_mtp();
            mtp_.set_following(statistics_.mtp_probe_due());
            break;
        case mtp_prospect::pays: mtp_.set_following(true); break;
    }
}

draft_maker::mtp_prospect draft_maker::judge_mtp() const {
    // Where a proposal is left, lookup drafts from it as well.
    if (!proposed_.empty()) {
        return mtp_prospect::none;
    }
    if (!mtp_.available() || request_.speculation == speculation_mode::off || !request_.drafts.mtp) {
        return mtp_prospect::none;
    }
    if (request_.speculation == speculation_mode::optimistic || (mtp_.reads_ahead() && !statistics_.costs().known())) {
        return mtp_prospect::pays;
    }
    const draft_bounds anywhere = bounds(MAX_DRAFT);
    draft_limits       most;
    most.mtp     = anywhere.longest();
    most.by_copy = anywhere.by_copy();
    if (choose_draft(statistics_.costs(), statistics_.acceptance(), most).source == draft_source::mtp) {
        return mtp_prospect::pays;
    }
    return perfect_drafts_pay(statistics_.costs(), most) ? mtp_prospect::possible : mtp_prospect::none;
}

draft_bounds draft_maker::bounds(int32_t room) const {
    draft_bounds result;
    result.recurrent  = slot_.seq().recurrent();
    result.snapshots  = slot_.ctx().snapshot_limit();
    result.exact_rows = slot_.ctx().exact_rows();
    result.rows       = slot_.ctx().max_logit_rows();
    result.room       = slot_.seq().can_take_back() ? room : 0;
    result.verified   = request_.speculation != speculation_mode::optimistic;
    return result;
}

std::vector<token_id> draft_maker::remembered(int32_t most) const {
    const std::vector<token_id> & said = answer_.said();
    if (said.size() >= suggestion_.size() || !std::equal(said.begin(), said.end(), suggestion_.begin())) {
        return {};
    }
    const auto first = suggestion_.begin() + static_cast<std::ptrdiff_t>(said.size());
    return {first, first + std::min<std::ptrdiff_t>(suggestion_.end() - first, most)};
}

draft_limits draft_maker::limits(const std::vector<token_id> & old_suggestion, const looked_up & found,
                                 int32_t most) const {
    const bool   mtp  = mtp_.ready(slot_.seq().length());
    const auto   said = static_cast<int32_t>(answer_.said().size());
    draft_limits result;
    result.old_suggestion = static_cast<int32_t>(old_suggestion.size());
    result.lookup         = static_cast<int32_t>(found.tokens.size());
    result.lookup_bucket  = acceptance_record::match_bucket(found.matched);
    result.mtp            = mtp ? most : 0;
    result.catch_up       = mtp && mtp_.pending() > MAX_DRAFT ? mtp_.pending() : 0;
    result.rounds_left    = expect_rounds(statistics_.typical_tokens(), said, request_.max_tokens - said);
    result.by_copy        = by_copy();
    return result;
}

draft draft_maker::make(token_id next) {
    const int32_t length = slot_.seq().length();
    // A round says one token more than it accepts drafts.
    const int32_t wanted = request_.max_tokens - static_cast<int32_t>(answer_.said().size()) - 1;
    const int32_t room   = std::min(wanted, slot_.ctx().length() - length - 1);
    if (!proposed_.empty()) {
        proposed_.follow(answer_.said());
        if (draft proposal = take_proposal(room); !proposal.tokens.empty()) {
            return proposal;
        }
    }
    const int32_t most = bounds(room).longest();
    if (request_.speculation == speculation_mode::off || most == 0) {
        return {};
    }
    draft result   = request_.speculation != speculation_mode::optimistic ? choose(next, most)
                     : mtp_.ready(length)                                 ? ask_mtp(next, most, 0.0)
                                                                          : draft{};
    result.by_copy = by_copy();
    return result;
}

draft draft_maker::take_proposal(int32_t room) {
    const draft_bounds bound  = bounds(room);
    const int32_t      most   = std::min({bound.room, bound.rows - 1, slot_.pace().next(bound.rows)});
    const auto         next   = proposed_.next(std::max(0, most));
    draft              result = take(draft_source::proposal, next, static_cast<int32_t>(next.size()));
    result.by_copy            = bound.recurrent && static_cast<int32_t>(result.tokens.size()) > bound.snapshots;
    return result;
}

draft draft_maker::choose(token_id next, int32_t most) {
    const int32_t               length         = slot_.seq().length();
    const std::vector<token_id> old_suggestion = remembered(most);
    looked_up          found = request_.drafts.lookup ? prompt_lookup(answer_.text_tokens(), most) : looked_up();
    const draft_limits here  = limits(old_suggestion, found, most);
    draft_choice       best  = choose_draft(statistics_.costs(), statistics_.acceptance(), here);
    if (best.source == draft_source::none && mtp_.ready(length) && statistics_.mtp_probe_due()) {
        best.source = draft_source::mtp;
        best.length = 1;
        best.rate   = 0.0;
        if (++probes_ >= PROBE_ROUNDS) {
            statistics_.end_mtp_probe();
        }
    }
    draft result;
    switch (best.source) {
        case draft_source::none:
        case draft_source::proposal: break;
        case draft_source::lookup:
            result = take(best.source, found.tokens, best.length);
            result.buckets.assign(result.tokens.size(), here.lookup_bucket);
            return result;
        case draft_source::old_suggestion: result = take(best.source, old_suggestion, best.length); break;
        // The head decides draft by draft how deep it goes.
        case draft_source::mtp: result = ask_mtp(next, best.rate > 0.0 ? most : best.length, best.rate); break;
    }
    result.unused = std::move(found);
    return result;
}

draft draft_maker::take(draft_source source, const std::vector<token_id> & tokens, int32_t length) const {
    draft result;
    result.source = source;
    for (int32_t i = 0; i < length && !answer_.is_end(tokens[static_cast<size_t>(i)]); ++i) {
        result.tokens.push_back(tokens[static_cast<size_t>(i)]);
    }
    return result;
}

draft draft_maker::ask_mtp(token_id next, int32_t length, double rate) {
    draft result;
    result.source       = draft_source::mtp;
    const bool adaptive = request_.speculation == speculation_mode::automatic;
    next_draft one;
    one.by_copy = by_copy();
    for (; one.drafted < length; ++one.drafted) {
        const bool first = one.drafted == 0;
        one.made         = false;
        one.likely       = statistics_.acceptance().at_depth(draft_source::mtp, one.drafted);
        if (adaptive && !first && !worth_another_draft(statistics_.costs(), one, rate)) {
            break;
        }
        const auto    start = std::chrono::steady_clock::now();
        const int32_t rows  = first ? mtp_.pending() : 0;
        const auto    guess = first ? mtp_.begin_draft(next, slot_.seq().length()) : mtp_.continue_draft();
        if (!guess) {
            return {};
        }
        ++metrics_.mtp_steps;
        // What one round leaves to catch up on is part of the cost of a draft.
        if (rows <= MAX_DRAFT) {
            statistics_.observe_draft(milliseconds_since(start));
        }
        if (answer_.is_end(guess->token)) {
            break;
        }
        const int bucket = acceptance_record::margin_bucket(guess->margin);
        result.buckets.push_back(bucket);
        one.made   = true;
        one.likely = statistics_.acceptance().at_bucket(draft_source::mtp, one.drafted, bucket);
        if (adaptive && !worth_another_draft(statistics_.costs(), one, rate)) {
            result.withheld = guess->token;
            break;
        }
        one.chance *= one.likely;
        result.tokens.push_back(guess->token);
    }
    mtp_.end_draft();
    return result;
}

} // namespace inkling

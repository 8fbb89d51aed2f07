#include "engine/generate/generation_run.h"

#include "engine/base/error.h"

#include <algorithm>

namespace inkling {

namespace {

// Tokens between checkpoints in the live middle: a keystroke against the suggestion replays at most these.
constexpr int32_t LIVE_CHECKPOINT_INTERVAL    = 8;
// Tokens of a prefill that are worth a checkpoint at its chunk's end.
constexpr int32_t PREFILL_CHECKPOINT_INTERVAL = 64;

} // namespace

const char * to_string(stop_reason reason) {
    switch (reason) {
        case stop_reason::end_of_text: return "endOfText";
        case stop_reason::stop_text: return "stopText";
        case stop_reason::max_tokens: return "maxTokens";
        case stop_reason::time_budget: return "timeBudget";
        case stop_reason::context_full: return "contextFull";
        case stop_reason::aborted: return "aborted";
    }
    return "aborted";
}

double generation_metrics::prefill_tokens_per_second() const {
    const int32_t evaluated = prompt_tokens - reused_tokens;
    return prefill_ms > 0.0 ? evaluated * 1000.0 / prefill_ms : 0.0;
}

double generation_metrics::decode_tokens_per_second() const {
    return decode_ms > 0.0 ? (generated_tokens - replayed_tokens) * 1000.0 / decode_ms : 0.0;
}

generation_run::generation_run(slot & on, const generation_request & request, const abort_flag & abort,
                               const std::function<void(const std::string &)> & on_text, preemption preempt)
    : slot_(on),
      request_(request),
      abort_(abort),
      on_text_(on_text),
      preempt_(std::move(preempt)),
      start_(std::chrono::steady_clock::now()),
      sampler_(request.sampling, on.owner().facts().vocabulary_size),
      stream_(request.stop) {}

generation_result generation_run::execute() {
    ++slot_.generations;
    prompt_                       = tokenize_prompt(slot_.owner(), request_);
    const auto prompt_count       = static_cast<int32_t>(prompt_.tokens.size());
    result_.metrics.prompt_tokens = prompt_count;
    // The last prompt token yields the first generated one, so a prompt that fills the context exactly still works.
    if (prompt_count > slot_.ctx.length()) {
        throw engine_error(error_code::prompt_too_long, "The prompt has " + std::to_string(prompt_count) +
                                                            " tokens; the context holds " +
                                                            std::to_string(slot_.ctx.length()));
    }
    assumed_ = prompt_.tokens;
    forced_  = prompt_.forced;
    if (!request_.draft.empty()) {
        suggestion_ = slot_.owner().tokenize(prompt_.forced + request_.draft, /*parse_special =*/false);
    }
    for (const token_id token : prompt_.tokens) {
        sampler_.accept(token);
    }

    begin_with(request_.begin);
    exchange();
    if (ended()) {
        slot_.live.clear();
    } else if (request_.max_tokens > 0) {
        replay_last_completion();
    } else if (holds_prompt()) {
        end(stop_reason::max_tokens);
    }
    const bool evaluated       = ended() || prefill();
    result_.metrics.prefill_ms = working_ms();
    if (evaluated && !ended()) {
        if (request_.max_tokens > 0) {
            decode();
        } else {
            end(stop_reason::max_tokens);
        }
    }
    if (*reason_ != stop_reason::stop_text) {
        const std::string rest = stream_.finish();
        if (!rest.empty()) {
            result_.text += rest;
            on_text_(rest);
        }
    }
    result_.reason                   = *reason_;
    result_.metrics.generated_tokens = static_cast<int32_t>(result_.tokens.size());
    result_.metrics.costs            = slot_.costs;
    result_.metrics.exact_rows       = slot_.ctx.exact_rows();
    result_.metrics.decode_ms        = working_ms() - result_.metrics.prefill_ms;
    // What was cut or kept very short from outside says nothing of how long answers are.
    if (*reason_ != stop_reason::aborted && request_.max_tokens >= MAX_DRAFT) {
        slot_.typical_tokens += 0.1 * (result_.metrics.generated_tokens - slot_.typical_tokens);
    }
    return std::move(result_);
}

void generation_run::begin_with(const std::vector<token_id> & tokens) {
    for (size_t i = 0; i < tokens.size() && !ended(); ++i) {
        const bool known = slot_.owner().is_token(tokens[i]);
        if (!known || !fits_forced(slot_.vocabulary.piece(tokens[i]))) {
            throw engine_error(error_code::invalid_argument,
                               "begin[" + std::to_string(i) + "]: " + std::to_string(tokens[i]) +
                                   (known ? " does not write what is typed" : " is not a token of this model"));
        }
        sampler_.accept(tokens[i]);
        emit({tokens[i], 0.0f});
    }
}

double generation_run::working_ms() const {
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start_;
    return elapsed.count() - result_.metrics.preempted_ms;
}

bool generation_run::prefill() {
    const auto total = static_cast<int32_t>(assumed_.size());
    if (total > slot_.ctx.length()) {
        end(stop_reason::context_full);
        return false;
    }
    if (request_.speculation == speculation_mode::optimistic) {
        // What is accepted unverified need not be what the model would say.
        slot_.live.clear();
    } else if (!slot_.live.valid && sampler_.deterministic()) {
        slot_.live.start = total;
        slot_.live.valid = true;
    }
    use_mtp_ = mtp_may_pay();
    if (slot_.seq.answers(assumed_, prompt_.boundaries)) {
        result_.metrics.reuse         = reuse_action::append;
        result_.metrics.reused_tokens = result_.metrics.prompt_tokens;
        return true;
    }
    return evaluate(total, logit_rows::last);
}

void generation_run::exchange() {
    const swap_plan done        = slot_.exchange(assumed_, prompt_.boundaries);
    result_.metrics.swapped_out = result_.metrics.swapped_out || done.swap_out;
    result_.metrics.swapped_in  = result_.metrics.swapped_in || done.swap_in.has_value();
}

int32_t generation_run::align() {
    if (suspended_live_) {
        exchange();
    }
    const reuse_plan plan = slot_.seq.align(assumed_, prompt_.boundaries);
    if (slot_.mtp != nullptr) {
        slot_.mtp->truncate(plan.keep);
    }
    if (suspended_live_) {
        slot_.live = std::move(*suspended_live_);
        suspended_live_.reset();
        losses_ += plan.keep < held_before_ ? 1 : 0;
        turn_ = 1 + losses_;
    }
    if (!aligned_) {
        aligned_                      = true;
        result_.metrics.reuse         = plan.action;
        result_.metrics.reused_tokens = std::min(plan.keep, result_.metrics.prompt_tokens);
    }
    return plan.keep;
}

bool generation_run::displaced() {
    if (turn_ > 0) {
        --turn_;
        return false;
    }
    if (!preempt_.wanted || abort_.is_set() || !preempt_.wanted()) {
        return false;
    }
    const auto      start = std::chrono::steady_clock::now();
    const uint64_t  mine  = slot_.generations;
    last_completion live  = slot_.live;
    held_before_          = slot_.seq.length();
    slot_.awaited         = true;
    preempt_.let_pass();
    slot_.awaited                                           = false;
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    result_.metrics.preempted_ms += elapsed.count();
    ++result_.metrics.preemptions;
    if (slot_.generations == mine) {
        return false;
    }
    suspended_live_ = std::move(live);
    return true;
}

bool generation_run::evaluate(int32_t total, logit_rows last_row) {
    const auto ends     = batch_ends(prompt_.boundaries, static_cast<int32_t>(assumed_.size()), slot_.ctx.batch_size());
    int32_t    position = align();
    while (position < total) {
        const bool lost = displaced();
        if (interrupted()) {
            if (!lost) {
                // The last completion begins where the sequence may not have come yet.
                slot_.live.clear();
            }
            return false;
        }
        if (lost) {
            position = align();
            continue;
        }
        const auto    seam   = std::upper_bound(ends.begin(), ends.end(), position);
        // Behind the last mark in steps that any other request would repeat to the bit.
        const int32_t most   = slot_.ctx.exact_rows() > 0 ? slot_.ctx.exact_rows() : slot_.ctx.batch_size();
        const int32_t count  = (seam == ends.end() ? std::min(total, position + most) : *seam) - position;
        // Only rows that the MTP head can still want: computing them costs the trunk a full last layer.
        const int32_t wanted = reads_ahead() ? mtp_head::READ_AHEAD : mtp_head::WINDOW;
        slot_.ctx.set_hidden_rows(use_mtp_ && total - position - count < wanted);
        slot_.seq.append(assumed_.data() + position, count, position + count == total ? last_row : logit_rows::none);
        show_mtp(assumed_.data() + position, count, position);
        position += count;
        result_.metrics.evaluated_tokens += count;

        const int32_t gap = position - slot_.seq.checkpoints().nearest_at_most(position);
        if (std::binary_search(prompt_.boundaries.begin(), prompt_.boundaries.end(), position)) {
            slot_.seq.take_checkpoint(checkpoint_kind::boundary);
        } else if (position == total && gap >= LIVE_CHECKPOINT_INTERVAL) {
            slot_.seq.take_checkpoint(checkpoint_kind::live);
        } else if (gap >= PREFILL_CHECKPOINT_INTERVAL) {
            slot_.seq.take_checkpoint(checkpoint_kind::interval);
        }
    }
    return true;
}

void generation_run::decode() {
    choice next = choose(-1);
    while (!ended()) {
        if (is_end(next.token)) {
            if (next.token != no_token && !slot_.owner().is_end(next.token)) {
                // Only this request ends here; another may go on behind it.
                record_live(next);
            } else {
                slot_.live.ended = slot_.live.valid && next.token != no_token;
            }
            end(stop_reason::end_of_text);
            return;
        }
        record_live(next);
        emit(next);
        if (ended()) {
            return;
        }
        const bool lost = displaced();
        if (interrupted() || (lost && !evaluate(static_cast<int32_t>(assumed_.size()) - 1, logit_rows::none))) {
            return;
        }
        if (!make_room()) {
            end(stop_reason::context_full);
            return;
        }

        const draft           guess = make_draft(next);
        std::vector<token_id> batch{next.token};
        batch.insert(batch.end(), guess.tokens.begin(), guess.tokens.end());
        const auto count   = static_cast<int32_t>(batch.size());
        const bool by_copy = count > 1 && bounds(MAX_DRAFT).by_copy();
        if (by_copy) {
            slot_.seq.set_savepoint();
        }
        slot_.ctx.set_hidden_rows(use_mtp_);
        const int32_t position = slot_.seq.length();
        const auto    start    = std::chrono::steady_clock::now();
        slot_.seq.append(batch.data(), count, logit_rows::all);
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
        slot_.costs.observe_verify(count - 1, elapsed.count());
        result_.metrics.evaluated_tokens += count;
        ++result_.metrics.rounds;

        const int32_t accepted = verify(guess, next);
        show_mtp(batch.data(), accepted + 1, position);
        take_back(count - 1 - accepted, by_copy);
        keep_live_checkpoint();
    }
}

choice generation_run::choose(int32_t row) {
    const float * logits = slot_.ctx.logits(row);
    if (forced_.empty()) {
        return sampler_.choose(logits, nullptr, request_.runners_up);
    }
    slot_.vocabulary.compatible_tokens(forced_, allowed_);
    if (allowed_.empty()) {
        // No token of this vocabulary writes these bytes; nothing can be said behind them.
        return {no_token, 0.0f};
    }
    return sampler_.choose(logits, &allowed_, request_.runners_up);
}

bool generation_run::is_end(token_id token) const {
    return token == no_token || slot_.owner().is_end(token) ||
           std::find(request_.stop_tokens.begin(), request_.stop_tokens.end(), token) != request_.stop_tokens.end();
}

bool generation_run::is_spelled(token_id token) const {
    return std::find(request_.spelled_tokens.begin(), request_.spelled_tokens.end(), token) !=
           request_.spelled_tokens.end();
}

bool generation_run::fits_forced(std::string_view piece) const {
    return forced_.empty() || piece.starts_with(forced_) || (!piece.empty() && forced_.starts_with(piece));
}

void generation_run::record_live(const choice & next) {
    if (slot_.live.valid) {
        slot_.live.tokens.push_back({next, forced_});
    }
}

void generation_run::emit(const choice & next) {
    assumed_.push_back(next.token);
    result_.tokens.push_back(next.token);
    result_.log_probabilities.push_back(next.log_probability);
    if (request_.runners_up) {
        result_.runners_up.push_back(next.runner_up);
        result_.runner_up_log_probabilities.push_back(next.runner_up_log_probability);
    }

    std::string_view piece  = slot_.vocabulary.piece(next.token);
    const size_t     hidden = std::min(piece.size(), forced_.size());
    forced_.erase(0, hidden);
    piece.remove_prefix(hidden);

    std::string spelled;
    if (hidden == 0 && piece.empty() && is_spelled(next.token)) {
        spelled = slot_.owner().piece(next.token, /*special =*/true);
        piece   = spelled;
    }

    const std::string text = stream_.append(piece);
    if (!text.empty()) {
        result_.text += text;
        on_text_(text);
    }
    if (stream_.stopped()) {
        end(stop_reason::stop_text);
    } else if (static_cast<int32_t>(result_.tokens.size()) >= request_.max_tokens) {
        end(stop_reason::max_tokens);
    }
}

bool generation_run::interrupted() {
    if (abort_.is_set()) {
        end(stop_reason::aborted);
    } else if (request_.time_budget_ms > 0 && working_ms() >= static_cast<double>(request_.time_budget_ms)) {
        end(stop_reason::time_budget);
    }
    return ended();
}

void generation_run::end(stop_reason reason) {
    reason_ = reason;
}

void generation_run::keep_live_checkpoint() {
    const int32_t length = slot_.seq.length();
    if (length - slot_.seq.checkpoints().nearest_at_most(length) >= LIVE_CHECKPOINT_INTERVAL) {
        slot_.seq.take_checkpoint(checkpoint_kind::live);
    }
}

} // namespace inkling

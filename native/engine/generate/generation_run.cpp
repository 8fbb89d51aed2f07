#include "engine/generate/generation_run.h"

#include "engine/base/error.h"
#include "engine/generate/prompt.h"

#include <utility>

namespace inkling {

namespace {

// Whether an error leaves the state of what is held in doubt: a half-done rollback, logits that are not numbers.
bool spoils_state(error_code code) {
    switch (code) {
        // Thrown before anything is evaluated, or of tokens that are not.
        case error_code::invalid_argument:
        case error_code::prompt_too_long:
        // The engine gives the whole slot up. Some caches clear buffers of the device, which would throw once more.
        case error_code::device_failed: return false;
        default: return true;
    }
}

} // namespace

generation_run::generation_run(slot & on, const generation_request & request, const abort_flag & abort,
                               const std::function<void(const std::string &)> & on_text, preemption preempt)
    : slot_(on),
      request_(request),
      answer_(request, on.owner(), on.vocabulary(), on_text),
      interruptions_(on, abort, request.time_budget_ms, std::move(preempt)),
      replay_(request, on, answer_, interruptions_, metrics_),
      mtp_(on.mtp(), on.ctx(), on.statistics(), /*reads_ahead =*/request.max_tokens == 0),
      evaluation_(on, answer_, interruptions_, mtp_, metrics_),
      shift_(on, request.when_context_full, answer_),
      speculation_(request, on, answer_, mtp_, metrics_) {}

generation_result generation_run::execute() {
    try {
        return run();
    } catch (const engine_error & error) {
        if (spoils_state(error.code())) {
            slot_.forget();
        }
        throw;
    }
}

generation_result generation_run::run() {
    slot_.begin_generation();
    begin();
    evaluation_.exchange();
    replay_.run();
    const bool evaluated = answer_.ended() || prefill();
    metrics_.prefill_ms  = interruptions_.working_ms();
    if (evaluated && !answer_.ended()) {
        if (request_.max_tokens > 0) {
            decode();
        } else {
            answer_.end(stop_reason::max_tokens);
        }
    }
    return finish();
}

void generation_run::begin() {
    prompt_tokens prompt   = tokenize_prompt(slot_.owner(), request_);
    metrics_.prompt_tokens = static_cast<int32_t>(prompt.tokens.size());
    // The last prompt token yields the first generated one, so a prompt that fills the context exactly still works.
    if (metrics_.prompt_tokens > slot_.ctx().length()) {
        throw engine_error(error_code::prompt_too_long, "The prompt has " + std::to_string(metrics_.prompt_tokens) +
                                                            " tokens; the context holds " +
                                                            std::to_string(slot_.ctx().length()));
    }
    answer_.begin(std::move(prompt));
    answer_.say_given(request_.begin);
}

bool generation_run::prefill() {
    if (answer_.length() > slot_.ctx().length()) {
        answer_.end(stop_reason::context_full);
        return false;
    }
    last_completion & last = slot_.last();
    if (request_.speculation == speculation_mode::optimistic || !request_.proposal.empty()) {
        // What is accepted unverified, or in long batches, need not be what the model would say.
        last.clear();
    } else if (!last.known() && answer_.deterministic()) {
        last.begin(answer_.length());
    }
    speculation_.begin();
    return evaluation_.evaluate_text();
}

void generation_run::decode() {
    last_completion & last = slot_.last();
    choice            next = answer_.choose(slot_.ctx().logits(-1));
    while (!answer_.ended()) {
        if (answer_.is_end(next.token)) {
            if (slot_.owner().is_end(next.token)) {
                last.record_end();
            } else if (next.token != no_token) {
                // Only this request ends here; another may go on behind it.
                last.record(next, answer_.forced());
            }
            answer_.end(stop_reason::end_of_text);
            return;
        }
        last.record(next, answer_.forced());
        answer_.say(next);
        if (answer_.ended() || !ready_for_round()) {
            return;
        }
        if (!speculation_.run_round(next, interruptions_.cut_of(answer_.text_tokens(), answer_.length()))) {
            answer_.end(stop_reason::aborted);
            return;
        }
        evaluation_.take_completion_checkpoint();
    }
}

bool generation_run::ready_for_round() {
    interruptions_.let_others_run();
    if (interruptions_.end_if_due(answer_) || (interruptions_.displaced() && !evaluation_.evaluate_again())) {
        return false;
    }
    if (!shift_.make_room()) {
        answer_.end(stop_reason::context_full);
        return false;
    }
    return true;
}

generation_result generation_run::finish() {
    generation_result result = answer_.finish();

    metrics_.generated_tokens = static_cast<int32_t>(result.tokens.size());
    metrics_.shifted_tokens   = shift_.forgotten();
    metrics_.draft_failure    = mtp_.failure();
    metrics_.preemptions      = interruptions_.preemptions();
    metrics_.preempted_ms     = interruptions_.preempted_ms();
    metrics_.costs            = slot_.statistics().costs().measured() ? slot_.statistics().costs() : decode_costs();
    metrics_.exact_rows       = slot_.ctx().exact_rows();
    metrics_.decode_ms        = interruptions_.working_ms() - metrics_.prefill_ms;
    // An answer that was cut from outside, or kept very short, says nothing about how long answers are.
    if (result.reason != stop_reason::aborted && request_.max_tokens >= MAX_DRAFT) {
        slot_.statistics().observe_answer(metrics_.generated_tokens);
    }
    result.metrics = std::move(metrics_);
    return result;
}

} // namespace inkling

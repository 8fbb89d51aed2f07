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
      answer_(request, on.loaded_model(), on.vocabulary(), on_text),
      interruptions_(on, abort, request.time_budget_ms, std::move(preempt)),
      replay_(request, on, answer_, interruptions_, metrics_),
      mtp_(on.use_head(/*reads_ahead =*/request.max_tokens == 0)),
      evaluation_(on, answer_, interruptions_, mtp_, metrics_),
      shift_(on, request.when_context_full, answer_),
      speculation_(request, on, answer_, interruptions_, mtp_, metrics_) {}

generation_result generation_run::execute() {
    try {
        return run();
    } catch (const engine_error & error) {
        if (spoils_state(error.code())) {
            slot_.forget();
        }
        throw;
    } catch (...) {
        // Such as memory that ran out between two steps that belong together.
        slot_.forget();
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
    prompt_tokens prompt   = tokenize_prompt(slot_.loaded_model(), request_);
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
    if (request_.speculation == speculation_mode::optimistic || !request_.proposal.empty()) {
        // What is accepted unverified, or in long batches, need not be what the model would say.
        slot_.forget_completion();
    } else if (!slot_.last().known() && answer_.deterministic()) {
        slot_.begin_completion(answer_.length(), slot_.seq().path_behind(answer_.length(), answer_.boundaries()));
    }
    speculation_.begin();
    return evaluation_.evaluate_text();
}

void generation_run::decode() {
    choice next = answer_.choose(slot_.ctx().logits(-1));
    while (!answer_.ended()) {
        if (answer_.is_end(next.token)) {
            if (slot_.loaded_model().is_end(next.token)) {
                slot_.record_end();
            } else if (next.token != no_token) {
                // Only this request ends here; another may go on after it.
                slot_.record(next, answer_.forced());
            }
            answer_.end(stop_reason::end_of_text);
            return;
        }
        slot_.record(next, answer_.forced());
        answer_.say(next);
        if (!run_round(next)) {
            return;
        }
        evaluation_.take_completion_checkpoint();
    }
}

bool generation_run::run_round(choice & next) {
    while (!answer_.ended() && ready_for_round()) {
        if (speculation_.run_round(next)) {
            return true;
        }
        if (!interruptions_.end_if_due(answer_)) {
            interruptions_.count_cut(answer_.length() - 1);
        }
    }
    return false;
}

bool generation_run::ready_for_round() {
    interruptions_.let_others_run();
    // A round that was cut may have left less than the text.
    const bool shorter = interruptions_.displaced() || slot_.seq().length() < answer_.length() - 1;
    if (interruptions_.end_if_due(answer_) || (shorter && !evaluation_.evaluate_again())) {
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

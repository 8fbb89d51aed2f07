#include "engine/generate/prompt_evaluation.h"

#include <algorithm>

namespace inkling {

namespace {

// Tokens between checkpoints in the typed text and its completion: a keystroke against the suggestion evaluates at most
// these again.
constexpr int32_t COMPLETION_CHECKPOINT_INTERVAL = 8;
// Fewest tokens since the last checkpoint that make another one worth its memory, at the end of a batch of a prefill.
constexpr int32_t PREFILL_CHECKPOINT_INTERVAL    = 64;

} // namespace

prompt_evaluation::prompt_evaluation(slot & on, answer & out, interruptions & stops, mtp_session & mtp,
                                     generation_metrics & metrics)
    : slot_(on), answer_(out), interruptions_(stops), mtp_(mtp), metrics_(metrics) {}

void prompt_evaluation::exchange() {
    const swap_plan done = slot_.exchange(answer_.text_tokens(), answer_.boundaries());
    metrics_.swapped_out = metrics_.swapped_out || done.swap_out;
    metrics_.swapped_in  = metrics_.swapped_in || done.swap_in.has_value();
}

bool prompt_evaluation::evaluate_text() {
    if (slot_.seq().answers(answer_.text_tokens(), answer_.boundaries())) {
        metrics_.reuse         = reuse_action::append;
        metrics_.reused_tokens = metrics_.prompt_tokens;
        return true;
    }
    return evaluate(answer_.length(), logit_rows::last);
}

bool prompt_evaluation::evaluate_again() {
    return evaluate(answer_.length() - 1, logit_rows::none);
}

int32_t prompt_evaluation::align() {
    const bool displaced = interruptions_.displaced();
    if (displaced) {
        exchange();
    }
    const reuse_plan plan = slot_.align(answer_.text_tokens(), answer_.boundaries());
    if (displaced) {
        interruptions_.resume(plan.keep);
    }
    if (!aligned_) {
        aligned_               = true;
        metrics_.reuse         = plan.action;
        metrics_.reused_tokens = std::min(plan.keep, metrics_.prompt_tokens);
    }
    return plan.keep;
}

bool prompt_evaluation::evaluate(int32_t total, logit_rows last_row) {
    const token_id * tokens = answer_.text_tokens().data();

    int32_t position = align();
    while (position < total) {
        interruptions_.let_others_run();
        const bool displaced = interruptions_.displaced();
        if (interruptions_.end_if_due(answer_)) {
            if (!displaced && slot_.last().start() > position) {
                // The sequence has not reached the start of the last completion yet.
                slot_.forget_completion();
            }
            return false;
        }
        if (displaced) {
            position = align();
            continue;
        }
        const int32_t count = next_end(position, total) - position;
        // Only rows that the MTP head can still use: computing them costs the trunk a full last layer.
        slot_.set_hidden_rows(mtp_.wants_rows(total - position - count));
        const double before = interruptions_.working_ms();
        if (!slot_.append(tokens + position, count, position + count == total ? last_row : logit_rows::none,
                          interruptions_.cut_of(answer_.text_tokens(), position + count))) {
            if (interruptions_.end_if_due(answer_)) {
                return false;
            }
            interruptions_.count_cut(position);
            // Recurrent state may have gone back to a checkpoint that a fresh evaluation of this text does not pass.
            position = align();
            continue;
        }
        slot_.observe_prefill(count, interruptions_.working_ms() - before);
        mtp_.show(tokens + position, count, position);
        position += count;
        metrics_.evaluated_tokens += count;
        take_checkpoint(position, total);
    }
    return true;
}

int32_t prompt_evaluation::next_end(int32_t position, int32_t total) const {
    const context & ctx = slot_.ctx();
    if (ctx.exact_rows() > 0) {
        const auto    ends = batch_ends(answer_.boundaries(), answer_.length(), ctx.batch_size());
        const int32_t end  = batch_end(ends, answer_.boundaries(), position, slot_.pace().next(ctx.batch_size()));
        // Behind the last boundary in steps that any other request would repeat to the bit.
        return end == position ? std::min(total, position + std::min(ctx.exact_rows(), ctx.batch_size())) : end;
    }
    int32_t end = std::min(total, position + slot_.pace().next(ctx.batch_size()));
    // Attention can be trimmed anywhere, so only other states need a copy where a section begins.
    if (slot_.seq().recurrent()) {
        const auto next = std::upper_bound(answer_.boundaries().begin(), answer_.boundaries().end(), position);
        const auto cut  = std::find_if(next, answer_.boundaries().end(), [&](int32_t boundary) {
            return slot_.checkpoint_pays(checkpoint_kind::boundary, boundary);
        });
        end             = cut != answer_.boundaries().end() ? std::min(end, *cut) : end;
    }
    return position + slot_.first_of(end - position);
}

void prompt_evaluation::take_checkpoint(int32_t position, int32_t total) {
    const int32_t gap = position - slot_.seq().checkpoints().nearest_at_most(position);
    if (std::binary_search(answer_.boundaries().begin(), answer_.boundaries().end(), position)) {
        slot_.take_checkpoint(checkpoint_kind::boundary);
    } else if (position == total && gap >= COMPLETION_CHECKPOINT_INTERVAL) {
        slot_.take_checkpoint(checkpoint_kind::typed);
    } else if (gap >= PREFILL_CHECKPOINT_INTERVAL) {
        slot_.take_checkpoint(checkpoint_kind::interval);
    }
}

void prompt_evaluation::take_completion_checkpoint() {
    const int32_t length = slot_.seq().length();
    if (length - slot_.seq().checkpoints().nearest_at_most(length) >= COMPLETION_CHECKPOINT_INTERVAL) {
        slot_.take_checkpoint(checkpoint_kind::completion);
    }
}

} // namespace inkling

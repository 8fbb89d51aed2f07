#include "engine/generate/interruptions.h"

#include "engine/base/elapsed.h"

#include <utility>

namespace inkling {

interruptions::interruptions(slot & on, const abort_flag & abort, int64_t time_budget_ms, preemption preempt)
    : slot_(on),
      abort_(abort),
      time_budget_ms_(time_budget_ms),
      preempt_(std::move(preempt)),
      start_(std::chrono::steady_clock::now()) {}

double interruptions::working_ms() const {
    return milliseconds_since(start_) - preempted_ms_;
}

bool interruptions::end_if_due(answer & out) const {
    if (abort_.is_set()) {
        out.end(stop_reason::aborted);
    } else if (time_budget_ms_ > 0 && working_ms() >= static_cast<double>(time_budget_ms_)) {
        out.end(stop_reason::time_budget);
    }
    return out.ended();
}

void interruptions::let_others_run() {
    if (turn_ > 0) {
        --turn_;
        return;
    }
    if (!preempt_.wanted || abort_.is_set() || !preempt_.wanted()) {
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    suspended_       = slot_.let_others_run(preempt_.let_pass);
    preempted_ms_ += milliseconds_since(start);
    ++preemptions_;
}

decode_cut interruptions::cut_of(const std::vector<token_id> & text, int32_t end) const {
    if (!preempt_.cut) {
        return {};
    }
    return [this, &text, end, start = std::chrono::steady_clock::now()] {
        return preempt_.cut({text, end, milliseconds_since(start)});
    };
}

void interruptions::resume(int32_t kept) {
    losses_ += kept < suspended_->held ? 1 : 0;
    turn_        = 1 + losses_;
    slot_.last() = std::move(suspended_->last);
    suspended_.reset();
}

} // namespace inkling

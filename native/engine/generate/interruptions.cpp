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
    const bool cut = std::exchange(was_cut_, false);
    in_turn_       = cut || turn_ > 0;
    if (cut) {
        turn_ = losses_;
    } else if (turn_ > 0) {
        --turn_;
        return;
    }
    if (!preempt_.wanted || abort_.is_set() || !preempt_.wanted()) {
        return;
    }
    pass([this] { suspended_ = slot_.let_others_run(preempt_.let_pass); });
}

bool interruptions::let_others_run_beside(double ran_ms) {
    if (!preempt_.wanted_beside || abort_.is_set() || !preempt_.wanted_beside(ran_ms)) {
        return false;
    }
    pass(preempt_.let_pass_beside);
    return true;
}

void interruptions::pass(const std::function<void()> & run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    preempted_ms_ += milliseconds_since(start);
    ++preemptions_;
}

decode_cut interruptions::cut_of(const std::vector<token_id> & text, int32_t end) {
    if (!preempt_.cut && !preempt_.wanted_beside) {
        return {};
    }
    const double begin = working_ms();
    return [this, &text, end, whole = in_turn_, begin, resumed = begin]() mutable {
        if (let_others_run_beside(working_ms() - resumed)) {
            resumed = working_ms();
        }
        return preempt_.cut && (abort_.is_set() || !whole) && preempt_.cut({text, end, working_ms() - begin});
    };
}

void interruptions::count_cut(int32_t held) {
    was_cut_ = true;
    losses_ += slot_.seq().length() < held ? 1 : 0;
}

void interruptions::resume(int32_t kept) {
    losses_ += kept < suspended_->held ? 1 : 0;
    turn_ = 1 + losses_;
    slot_.resume(*std::exchange(suspended_, std::nullopt));
}

} // namespace inkling

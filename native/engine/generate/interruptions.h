#pragma once

#include "engine/base/abort_flag.h"
#include "engine/generate/answer.h"
#include "engine/generate/preemption.h"
#include "engine/slot/slot.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace inkling {

// What may happen to a generation between two batches or rounds, or within one: more urgent jobs run first, or an abort
// or its time budget ends it.
class interruptions {
  public:
    // time_budget_ms as in generation_request. All references outlive this. The clock starts here.
    interruptions(slot & on, const abort_flag & abort, int64_t time_budget_ms, preemption preempt);

    // Milliseconds since the start, without the time of other jobs.
    double  working_ms() const;
    // How often other jobs ran.
    int32_t preemptions() const { return preemptions_; }

    // Ends the answer if an abort or the time budget says so. Returns whether the answer has ended.
    bool end_if_due(answer & out) const;

    // Lets more urgent jobs run, if there are any. A generation that was displaced evaluates one batch or round before
    // it lets others run again, and one more each time that its work was lost. So it comes to its end, however often
    // others come.
    void       let_others_run();
    // Decides whether the batch that begins now is cut. It evaluates `text` up to `end`, drafts included; `text` must
    // outlive it. A batch that follows a cut one is not cut for others.
    decode_cut cut_of(const std::vector<token_id> & text, int32_t end);
    // The batch was cut for others, and they run next. `held` tokens of the text had been evaluated before it.
    void       count_cut(int32_t held);
    // Whether another generation used the slot, which then holds other tokens until resume().
    bool       displaced() const { return suspended_.has_value(); }
    // The slot holds the first `kept` tokens of this generation again. Precondition: displaced().
    void       resume(int32_t kept);

  private:
    // Lets completions on another slot run within the batch. Returns whether any did.
    bool let_others_run_beside(double ran_ms);
    // Counts the time of `run` as that of other jobs.
    void pass(const std::function<void()> & run);

    slot &                                slot_;
    const abort_flag &                    abort_;
    int64_t                               time_budget_ms_;
    preemption                            preempt_;
    std::chrono::steady_clock::time_point start_;
    int32_t                               preemptions_  = 0;
    double                                preempted_ms_ = 0.0;
    std::optional<suspended_generation>   suspended_;
    // How often a part of the evaluated text was lost to others.
    int32_t                               losses_  = 0;
    // Batches and rounds to evaluate before others may run again.
    int32_t                               turn_    = 0;
    bool                                  was_cut_ = false;
    // The next batch is not cut for others.
    bool                                  in_turn_ = false;
};

} // namespace inkling

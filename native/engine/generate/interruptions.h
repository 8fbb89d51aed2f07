#pragma once

#include "engine/base/abort_flag.h"
#include "engine/generate/answer.h"
#include "engine/generate/slot.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace inkling {

// A batch of a generation, while it is computed.
struct batch_in_work {
    const std::vector<token_id> & text;
    int32_t                       end; // of the batch in the text
    double                        ran_ms;
};

// How a generation makes way for others. Each may be empty.
struct preemption {
    // Whether more urgent jobs wait; asked at the end of each chunk and round.
    std::function<bool()>                      wanted;
    // Runs those jobs and comes back. They may use the same slot.
    std::function<void()>                      let_pass;
    // Whether the batch that is being computed should end at once, its work lost. Asked again and again meanwhile. Only
    // for a generation that was aborted.
    std::function<bool(const batch_in_work &)> cut;
};

// What may happen to a generation between two chunks or rounds: more urgent jobs run first, or an abort or its time
// budget ends it.
class interruptions {
  public:
    // time_budget_ms as in generation_request. All references outlive this. The clock starts here.
    interruptions(slot & on, const abort_flag & abort, int64_t time_budget_ms, preemption preempt);

    // Milliseconds since the start, without those of other jobs.
    double  working_ms() const;
    // How often other jobs ran, and for how long.
    int32_t preemptions() const { return preemptions_; }
    double  preempted_ms() const { return preempted_ms_; }

    // Ends the answer if an abort or the time budget says so. Returns whether the answer has ended.
    bool end_if_due(answer & out) const;

    // Lets more urgent jobs run, if there are any. A generation that was displaced crosses one boundary before it lets
    // others run again, and one more each time that its work was lost. So it comes to its end, however often others
    // come.
    void       let_others_run();
    // For the batch that begins now and evaluates `text` up to `end`, drafts behind it included. `text` outlives it.
    decode_cut cut_of(const std::vector<token_id> & text, int32_t end) const;
    // Whether another generation used the slot, which then holds other tokens until resume().
    bool       displaced() const { return suspended_.has_value(); }
    // The slot holds the first `kept` tokens of this generation again. Precondition: displaced().
    void       resume(int32_t kept);

  private:
    slot &                                slot_;
    const abort_flag &                    abort_;
    int64_t                               time_budget_ms_;
    preemption                            preempt_;
    std::chrono::steady_clock::time_point start_;
    int32_t                               preemptions_  = 0;
    double                                preempted_ms_ = 0.0;
    std::optional<suspended_generation>   suspended_;
    // How often not all was found again that was held before.
    int32_t                               losses_ = 0;
    // Boundaries to cross before others may run again.
    int32_t                               turn_   = 0;
};

} // namespace inkling

#pragma once

#include "engine/base/abort_flag.h"
#include "engine/draft/mtp_session.h"
#include "engine/generate/answer.h"
#include "engine/generate/completion_replay.h"
#include "engine/generate/context_shift.h"
#include "engine/generate/generation.h"
#include "engine/generate/interruptions.h"
#include "engine/generate/prompt_evaluation.h"
#include "engine/generate/speculation.h"
#include "engine/slot/slot.h"

#include <functional>
#include <string>

namespace inkling {

// One generation on a slot, start to end, on the engine thread: tokenize, swap, replay, prefill, rounds. Its parts do
// the work, each with its own state; this puts them in order.
class generation_run {
  public:
    // on_text receives whole UTF-8 characters. All arguments outlive this; the one by value may be empty.
    generation_run(slot & on, const generation_request & request, const abort_flag & abort,
                   const std::function<void(const std::string &)> & on_text, preemption preempt = {});

    // Call once. The end of the time budget ends it after the batch or round that runs, an abort may cut that one too.
    // The result has the text so far, and what was evaluated stays in the slot. Throws engine_error: invalid_argument,
    // prompt_too_long, device_failed, and others, such as decode_failed, that leave the slot empty; so do exceptions of
    // other types.
    generation_result execute();

  private:
    generation_result run();
    void              begin();
    bool              prefill();
    void              decode();
    // As speculation::run_round, again if others cut it. Returns false if the answer has ended.
    bool              run_round(choice & next);
    // Between two rounds. Returns false if the answer has ended.
    bool              ready_for_round();
    generation_result finish();

    slot &                     slot_;
    const generation_request & request_;

    // Each refers only to those above it.
    generation_metrics metrics_;
    answer             answer_;
    interruptions      interruptions_;
    completion_replay  replay_;
    mtp_session        mtp_;
    prompt_evaluation  evaluation_;
    context_shift      shift_;
    speculation        speculation_;
};

} // namespace inkling

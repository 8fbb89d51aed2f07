#pragma once

#include "engine/draft/mtp_session.h"
#include "engine/generate/answer.h"
#include "engine/generate/generation.h"
#include "engine/generate/interruptions.h"
#include "engine/slot/slot.h"

#include <cstdint>

namespace inkling {

// Makes a slot hold the text of one generation: reuses what is held, evaluates the rest in batches, and takes
// checkpoints on the way.
class prompt_evaluation {
  public:
    prompt_evaluation(slot & on, answer & out, interruptions & stops, mtp_session & mtp, generation_metrics & metrics);

    // Swaps prompts out and in as the text needs it. Call it before anything else is decided about the text.
    void exchange();
    // Evaluates the text so far; afterwards the logits after its last token are at hand. Returns false if it was
    // interrupted; the answer has then ended.
    bool evaluate_text();
    // Evaluates the text but its last token again, after another generation used the slot. Returns as evaluate_text.
    bool evaluate_again();
    // Takes a checkpoint where the answer has grown by enough since the last one.
    void take_completion_checkpoint();

  private:
    // Makes the sequence hold the first `total` tokens of the text and nothing else.
    bool    evaluate(int32_t total, logit_rows last_row);
    // Shortens what the slot holds to what can be kept for the text; returns how many tokens those are.
    int32_t align();
    // Where the next batch ends. Precondition: position < total.
    int32_t next_end(int32_t position, int32_t total) const;
    void    take_checkpoint(int32_t position, int32_t total);

    slot &               slot_;
    answer &             answer_;
    interruptions &      interruptions_;
    mtp_session &        mtp_;
    generation_metrics & metrics_;
    bool                 aligned_ = false;
};

} // namespace inkling

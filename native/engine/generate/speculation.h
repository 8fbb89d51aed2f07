#pragma once

#include "engine/draft/mtp_session.h"
#include "engine/generate/answer.h"
#include "engine/generate/draft_maker.h"
#include "engine/generate/generation.h"
#include "engine/generate/interruptions.h"
#include "engine/slot/slot.h"

#include <cstdint>
#include <vector>

namespace inkling {

// The rounds of one generation. Each evaluates the token that was chosen last and a draft of what follows it in one
// batch, accepts the drafts that the model would have chosen, and takes the others back.
class speculation {
  public:
    speculation(const generation_request & request, slot & on, answer & out, interruptions & stops, mtp_session & mtp,
                generation_metrics & metrics);

    // As draft_maker::begin.
    void begin() { drafts_.begin(); }

    // Says the accepted drafts and sets `next` to the choice after them. Afterwards the sequence holds all of the text
    // but `next`. False: the round was cut, as sequence::append says, and said nothing. Precondition: `next` was said,
    // is not evaluated yet, and has room in the context.
    bool run_round(choice & next);

  private:
    // Returns how many drafts were accepted.
    int32_t verify(const draft & guess, choice & next);
    int32_t accept_unverified(const draft & guess, choice & next);
    int32_t accept_equal(const draft & guess, choice & next);
    // From the accepted drafts and the token after them.
    void    learn(const draft & guess, int32_t accepted, token_id next);
    void    learn_from_unused(const draft & guess, int32_t accepted, token_id next);

    const generation_request & request_;
    slot &                     slot_;
    answer &                   answer_;
    interruptions &            interruptions_;
    mtp_session &              mtp_;
    generation_metrics &       metrics_;
    draft_maker                drafts_;
};

} // namespace inkling

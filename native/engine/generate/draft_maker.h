#pragma once

#include "engine/draft/draft_policy.h"
#include "engine/draft/mtp_session.h"
#include "engine/draft/prompt_lookup.h"
#include "engine/draft/proposed_text.h"
#include "engine/generate/answer.h"
#include "engine/generate/generation.h"
#include "engine/slot/slot.h"

#include <cstdint>
#include <vector>

namespace inkling {

// A guess at the tokens after the one that was chosen last.
struct draft {
    draft_source          source = draft_source::none;
    std::vector<token_id> tokens;
    // How sure the MTP head or lookup was of each; one more than tokens where one was withheld.
    std::vector<int32_t>  buckets;
    // Made, but not worth verifying. Where all drafts before it are accepted, the round still shows whether it was
    // right.
    token_id              withheld = no_token;
    // What lookup would have drafted, where another source or none was used. It learns from that, too.
    looked_up             unused;
    // Whether what is rejected is taken back through a copy of the state, made before the round.
    bool                  by_copy = false;
};

// Makes the drafts of one generation: chooses the source and the length that pay most, and asks the MTP head.
class draft_maker {
  public:
    draft_maker(const generation_request & request, slot & on, const answer & out, mtp_session & mtp,
                generation_metrics & metrics);

    // Decides whether the MTP head follows this generation. Call it before anything is evaluated.
    void  begin();
    // For the round that evaluates `next`.
    draft make(token_id next);

  private:
    // Whether drafts of the MTP head pay now, might pay if they were better than they were lately, or neither.
    enum class mtp_prospect { none, possible, pays };

    mtp_prospect          judge_mtp() const;
    // What bounds a draft that at most `room` tokens may follow.
    draft_bounds          bounds(int32_t room) const;
    // At most `most` tokens of the old suggestion, if the answer has followed it so far.
    std::vector<token_id> remembered(int32_t most) const;
    // The next tokens of the proposal.
    draft                 take_proposal(int32_t room);
    draft                 choose(token_id next, int32_t most);
    // As draft_bounds::by_copy, for what this makes but proposals.
    bool                  by_copy() const { return bounds(MAX_DRAFT).by_copy(); }
    draft_limits limits(const std::vector<token_id> & old_suggestion, const looked_up & found, int32_t most) const;
    // The first `length` of the tokens, but none from the answer's end on.
    draft        take(draft_source source, const std::vector<token_id> & tokens, int32_t length) const;
    // rate, in tokens per millisecond, is what each draft must better to be made and verified.
    draft        ask_mtp(token_id next, int32_t length, double rate);

    const generation_request & request_;
    const slot &               slot_;
    draft_statistics &         statistics_;
    const answer &             answer_;
    mtp_session &              mtp_;
    generation_metrics &       metrics_;
    // The old suggestion as tokens of the whole answer.
    std::vector<token_id>      suggestion_;
    proposed_text              proposed_;
    // Rounds in which the MTP head was only tried.
    int32_t                    probes_ = 0;
};

} // namespace inkling

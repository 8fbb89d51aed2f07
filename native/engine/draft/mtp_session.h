#pragma once

#include "engine/draft/draft_statistics.h"
#include "engine/draft/mtp_head.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace inkling {

// One generation's use of the MTP head: whether the head follows the trunk, and what happens when it fails. A head that
// fails is left alone for the rest of the generation, which goes on without its drafts.
class mtp_session {
  public:
    // head is null where the slot has none. reads_ahead: the prompt is evaluated for a later request, and nobody waits.
    mtp_session(mtp_head * head, const context & trunk, draft_statistics & statistics, bool reads_ahead);

    // Precondition: the slot has a head, or wanted is false.
    void    set_following(bool wanted) { following_ = wanted; }
    bool    following() const { return following_; }
    bool    reads_ahead() const { return reads_ahead_; }
    // Whether the slot has a head that still works.
    bool    available() const { return head_ != nullptr && !statistics_.mtp_given_up(); }
    // Whether the head can use hidden states that `distance` tokens follow before the first draft.
    bool    wants_rows(int32_t distance) const;
    // Whether the head can draft after `length` tokens.
    bool    ready(int32_t length) const { return following_ && head_->ready(length); }
    // As mtp_head::pending. Precondition: following().
    int32_t pending() const { return head_->pending(); }

    // Shows the head what the trunk evaluated last, if the trunk gave hidden states.
    void show(const token_id * tokens, int32_t count, token_position first_position);

    // As the head's own, with its preconditions; nothing if it failed.
    std::optional<mtp_draft> begin_draft(token_id last, int32_t length);
    std::optional<mtp_draft> continue_draft();
    void                     end_draft() { head_->end_draft(); }

    // Why the head was given up; empty if it was not.
    const std::string & failure() const { return failure_; }

  private:
    void give_up(const std::exception & error);

    mtp_head *         head_;
    const context &    trunk_;
    draft_statistics & statistics_;
    bool               reads_ahead_;
    bool               following_ = false;
    std::string        failure_;
};

} // namespace inkling

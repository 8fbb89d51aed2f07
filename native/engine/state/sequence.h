#pragma once

#include "engine/base/state_copy.h"
#include "engine/llama/context.h"
#include "engine/state/batch_history.h"
#include "engine/state/checkpoint_store.h"
#include "engine/state/reuse_policy.h"

#include <cstdint>
#include <vector>

namespace inkling {

// All that a sequence holds, in host memory.
struct sequence_copy {
    std::vector<token_id>   tokens;
    batch_history           history{0};
    std::vector<checkpoint> checkpoints;
    state_copy              state;

    uint64_t bytes() const;
    // Keeps at most `count` checkpoints; drops those that are cheapest to lose. Their memory goes to `dropped`.
    void     thin_checkpoints(size_t count, std::vector<state_copy> & dropped);
};

// The tokens whose state a context holds, and the ways back through them. Nothing else appends to the context or takes
// back from it, so the sequence always knows what the backend can still undo.
class sequence {
  public:
    // Precondition: ctx is empty and outlives this.
    sequence(context & ctx, uint64_t checkpoint_budget_bytes);

    const std::vector<token_id> & tokens() const { return tokens_; }
    int32_t                       length() const { return static_cast<int32_t>(tokens_.size()); }
    const checkpoint_store &      checkpoints() const { return checkpoints_; }
    // Attention-only models are trimmed at any token and take no checkpoints.
    bool                          recurrent() const { return recurrent_; }

    // What align would do.
    reuse_plan plan(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries) const;

    // The same for one that was moved out.
    reuse_plan plan(const sequence_copy & copy, const std::vector<token_id> & wanted,
                    const std::vector<int32_t> & boundaries) const;

    // Whether the context still has the logits after exactly these tokens, evaluated as a fresh engine would have.
    bool answers(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries) const;

    // The path (batch_history) on which a fresh engine would evaluate what follows a prompt of `length` tokens.
    uint64_t path_behind(int32_t length, const std::vector<int32_t> & boundaries) const;

    // Keeps as much of `wanted` as is cheap and forgets the rest; then tokens() is wanted[0, plan.keep). With the
    // prompt's `boundaries`, what is kept went through the same batches as in a fresh evaluation. Precondition: wanted
    // is not empty.
    reuse_plan align(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries);

    // From now on batches of up to `rows` tokens count as exact. If that is fewer than before, what is held cannot be
    // trusted and is forgotten. Returns whether that was so. Precondition: 1 <= rows, and the number before was not 0.
    bool set_exact_rows(int32_t rows);

    // Whether append also gives the hidden states that the MTP head reads, as context::set_hidden_rows.
    void set_hidden_rows(bool enabled) { ctx_.set_hidden_rows(enabled); }

    // Evaluates count tokens after what is held. Precondition: as for context::decode. False: `cut` ended it, and the
    // sequence is at most as long as before. Attention loses these tokens only; recurrent state goes back to the last
    // copy of it.
    bool append(const token_id * tokens, int32_t count, logit_rows rows, const decode_cut & cut = {});

    // How many of the last tokens the backend can take back right now.
    int32_t rollback_limit() const;
    // Whether rejected drafts can be taken back at all, by snapshots or by a savepoint.
    bool    can_take_back() const {
           return !recurrent_ || ctx_.snapshot_limit() > 0 || length() == 0 || ctx_.recurrent_plane_bytes() > 0;
    }
    // Takes the last count tokens back. Precondition: count <= rollback_limit().
    void    roll_back(int32_t count);
    // Shortens to `length` tokens or, where the backend cannot, to the nearest checkpoint below. Returns the length.
    int32_t truncate(int32_t length);

    // Whether tokens may be forgotten from the middle: every layer has attention, and positions can be shifted.
    bool can_shift_context() const { return !recurrent_ && ctx_.can_shift(); }
    // Forgets `count` tokens behind the first `start`; those that follow move up. The state still depends on the
    // forgotten tokens, unlike that of a fresh evaluation, so a generation can go on with it, but it is never reused.
    // Precondition: can_shift_context(), start + count < length().
    void shift(int32_t start, int32_t count);
    bool shifted() const { return shifted_; }

    // Copies the recurrent state at the present length, if there is one. It costs one memory copy of a state plane.
    // Returns false where none is kept.
    bool take_checkpoint(checkpoint_kind kind);

    // Remembers what is held now, to return to it after a trial. It does not count against the checkpoints' budget,
    // because a trial must not depend on the room in it. There is one savepoint; it takes a state plane if the model
    // has recurrent state.
    void     set_savepoint();
    // Precondition: since the savepoint was set, tokens were appended, and at most those were taken back.
    void     return_to_savepoint();
    // Gives its memory back.
    void     drop_savepoint();
    // Host memory that the savepoint takes.
    uint64_t savepoint_bytes() const { return savepoint_state_.size(); }

    // Gives back the memory of all copies of the state; ways back are then longer. Within a decode, which lets other
    // jobs run, the savepoint stays: it is the way back for the tokens that are being decoded.
    void drop_checkpoints();

    // Copies the state. From then on only the first `keep` tokens of the sequence count, so the checkpoints behind them
    // go with the copy; with keep = 0 the sequence is left empty. The copy has the checkpoints that fit into `limit`
    // bytes, and at most as many bytes of them as the state itself or SWAPPED_CHECKPOINTS take. If the result has no
    // state, nothing was moved. Precondition: copy_bytes() <= limit; keep is what a plan of this sequence keeps.
    sequence_copy move_out(uint64_t limit, int32_t keep);
    void          move_in(sequence_copy copy);
    // Uses memory of checkpoints that were dropped elsewhere for the next ones here.
    void          give(std::vector<state_copy> dropped);
    uint64_t      copy_bytes() const { return ctx_.state_bytes() + tokens_.size() * sizeof(token_id); }

    void clear();

  private:
    // What is held, here or in a copy, as far as it matters for reuse.
    struct held_state {
        const std::vector<token_id> & tokens;
        const batch_history &         history;
        std::vector<int32_t>          checkpoints;
        int32_t                       rollback_limit;
    };

    reuse_plan    plan(held_state held, const std::vector<token_id> & wanted,
                       const std::vector<int32_t> & boundaries) const;
    // The sections of a fresh evaluation, without what follows the last boundary.
    batch_history fresh_history(int32_t length, const std::vector<int32_t> & boundaries) const;
    void          restore(int32_t length);
    void          shorten(int32_t length);
    // After a decode that was cut.
    void          go_back();

    context &             ctx_;
    std::vector<token_id> tokens_;
    batch_history         history_;
    checkpoint_store      checkpoints_;
    bool                  recurrent_;
    bool                  shifted_          = false;
    int32_t               savepoint_length_ = 0;
    // Whether the sequence still begins with what was held then.
    bool                  savepoint_holds_  = false;
    // Whether nothing was evaluated since it was set, or returned to.
    bool                  at_savepoint_     = false;
    state_copy            savepoint_state_;
    // The backend says yes to any rollback of at most snapshot_limit() tokens. But only the tokens of the last decode
    // have a snapshot, except the first of them, and a second rollback before the next decode would start from the
    // wrong one.
    int32_t               snapshots_left_ = 0;
    // The context's last row of logits is that of the last token.
    bool                  logits_held_    = false;
    bool                  decoding_       = false;
};

} // namespace inkling

#pragma once

#include "engine/base/state_copy.h"
#include "engine/llama/context.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace inkling {

struct mtp_draft {
    token_id token  = no_token;
    // Logit of the first choice over the second: how sure the head is.
    float    margin = 0.0f;
};

// All that a head knows about a sequence, in host memory.
struct mtp_copy {
    struct row {
        token_id           token;
        token_position     position;
        std::vector<float> hidden; // of position - 1
    };

    state_copy         cache; // empty before anything was drafted
    std::vector<row>   rows;
    std::vector<float> last_hidden;
    token_position     last_hidden_position = 0;
    token_position     evaluated            = 0;

    uint64_t bytes() const;
};

// The model's multi-token-prediction block in a context of its own on the same weights. Its row p pairs token p with
// the trunk's hidden state at p - 1 and predicts token p + 1. It follows the trunk lazily: at most WINDOW rows wait
// here until the first draft, whose batch evaluates them too. So a generation that never drafts pays nothing. While
// nobody waits, it reads the trunk's tokens at once, and more of them.
class mtp_head {
  public:
    // Measured on a model of a billion parameters: 128 rows cost about as much as six tokens before the first draft.
    static constexpr int32_t WINDOW     = 64;
    // Rows of a prompt that is evaluated ahead. Over 40 prompts of the starter model, 64 rows had 73 % of the first
    // drafts accepted, and 56 % of those in the first eight tokens; all of 170 rows had 78 % and 72 %.
    static constexpr int32_t READ_AHEAD = 256;

    // Null where the model has no MTP block, the file says another length of its rows, or the backend cannot run it.
    static std::unique_ptr<mtp_head> create(std::shared_ptr<const model> loaded, const context & trunk);
    ~mtp_head();

    mtp_head(const mtp_head &)             = delete;
    mtp_head & operator=(const mtp_head &) = delete;

    // The trunk has evaluated count tokens at first_position; hidden states are read from its last decode.
    // Precondition: trunk.hidden_rows() was on.
    void observe(const context & trunk, const token_id * tokens, int32_t count, token_position first_position);
    // As observe, and evaluates the last READ_AHEAD of them now.
    void read(const context & trunk, const token_id * tokens, int32_t count, token_position first_position);
    // The trunk went back to `length` tokens.
    void truncate(int32_t length);
    void clear();

    // What is known; move_out also forgets it, and move_in restores it. A copy that the backend refuses leaves the head
    // as clear() does.
    mtp_copy copy() const;
    mtp_copy move_out();
    void     move_in(mtp_copy copy);
    // The size of such a copy now.
    uint64_t copy_bytes() const;

    // Rows that the next draft has to catch up on.
    int32_t pending() const { return static_cast<int32_t>(rows_.size()); }
    // Whether the trunk's hidden state after `length` tokens is known here.
    bool    ready(int32_t length) const { return last_hidden_position_ == length - 1; }

    // Drafts what follows `last`, the token chosen for position `length` that the trunk has not evaluated yet.
    // Precondition: ready(length).
    mtp_draft begin_draft(token_id last, int32_t length);
    // Goes one token deeper, along the head's own hidden state.
    mtp_draft continue_draft();
    // Ends the round. Forgets what was drafted deeper than the first row, which used the head's own hidden states.
    // Precondition: begin_draft was called.
    void      end_draft();

    // Milliseconds of one draft step at position `position` and of each further row in its batch. Forgets everything.
    std::pair<double, double> measure(token_position position);

    llama_context * handle() const { return handle_.get(); }
    int32_t         batch_size() const { return batch_size_; }
    // As of context.
    uint64_t        graph_bytes() const { return graph_bytes_; }
    int32_t         graphs() const { return decoded_ ? 2 : 1; }
    uint64_t        pending_bytes() const;

  private:
    struct context_deleter {
        void operator()(llama_context * handle) const;
    };
    static constexpr token_position START   = -1;
    static constexpr token_position UNKNOWN = -2;

    using row = mtp_copy::row;
    struct batch_owner;

    mtp_head(std::shared_ptr<const model> loaded, std::unique_ptr<llama_context, context_deleter> handle,
             std::shared_ptr<compute_threads> compute, int32_t batch_size);

    // The token in row `index` of the trunk's last decode.
    void      observe_row(const context & trunk, int32_t index, token_id token, token_position position);
    // Evaluates the rows that wait.
    void      catch_up();
    // Where the cache must have no gaps, forgets what a gap separates from the row at `length`.
    void      close_gap(int32_t length);
    void      push_waiting();
    void      push(token_id token, token_position position, const float * hidden);
    mtp_draft run();

    std::shared_ptr<const model>                    model_;
    // The trunk's: they never compute at the same time.
    std::shared_ptr<compute_threads>                compute_;
    std::unique_ptr<llama_context, context_deleter> handle_;
    std::unique_ptr<batch_owner>                    batch_;
    int32_t                                         batch_size_;
    uint64_t                                        graph_bytes_;
    bool                                            decoded_ = false;
    // Positions of this model are vectors, so the backend cannot demand that they follow one another.
    bool                                            gaps_allowed_;
    std::vector<row>                                rows_;
    std::vector<float>                              last_hidden_;
    // The position of last_hidden_; START before the first token, where last_hidden_ is zero by definition.
    token_position                                  last_hidden_position_ = START;
    // Rows of the head's own cache are valid below this position.
    token_position                                  evaluated_            = 0;
    token_position                                  draft_start_          = 0;
    mtp_draft                                       drafted_;
    token_position                                  draft_position_ = 0;
};

} // namespace inkling

#pragma once

#include "engine/base/abort_flag.h"
#include "engine/draft/draft_policy.h"
#include "engine/draft/draft_statistics.h"
#include "engine/draft/mtp_head.h"
#include "engine/draft/mtp_session.h"
#include "engine/llama/context.h"
#include "engine/slot/batch_pace.h"
#include "engine/slot/calibration.h"
#include "engine/slot/gpu_pace.h"
#include "engine/state/last_completion.h"
#include "engine/state/sequence.h"
#include "engine/state/swap_policy.h"
#include "engine/state/swap_store.h"
#include "engine/text/vocabulary_index.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace inkling {

struct slot_params {
    context_params                          context;
    uint64_t                                checkpoint_budget_bytes = 0;
    bool                                    mtp                     = true;
    // Shared by the slots of a model; null = one of its own.
    std::shared_ptr<const vocabulary_index> vocabulary;
    // Shared by the slots of a model; null = nothing is swapped out.
    std::shared_ptr<swap_store>             swap;
    slot_kind                               kind = slot_kind::completion;
};

// Called after each step of preparing a slot, as a GPU may compile kernels for a minute. What it throws ends the work.
using prepared_step = std::function<void()>;

// What a generation leaves behind while another one uses its slot.
struct suspended_generation {
    last_completion last;
    int32_t         held = 0; // tokens that the sequence held
};

// Everything that one line of text (completion, or a chat) keeps between its generations: the evaluated sequence, the
// MTP head that follows it, the last completion, and what was learned about drafting here. Engine thread only.
class slot {
  public:
    // Throws engine_error: out_of_memory.
    slot(std::shared_ptr<const model> loaded, const slot_params & params);

    slot(const slot &)             = delete;
    slot & operator=(const slot &) = delete;

    const model &            loaded_model() const { return *model_; }
    const vocabulary_index & vocabulary() const { return *vocabulary_; }
    const context &          ctx() const { return ctx_; }
    const sequence &         seq() const { return seq_; }
    // Null without an MTP block.
    const mtp_head *         mtp() const { return mtp_.get(); }
    const last_completion &  last() const { return last_; }
    const batch_pace &       pace() const { return pace_; }
    // Nothing else of the slot depends on them.
    draft_statistics &       statistics() { return statistics_; }
    const draft_statistics & statistics() const { return statistics_; }

    // Decodes one token and forgets it; on a GPU also batches of a few. The first decode allocates compute buffers,
    // builds the graph and, on a GPU, compiles kernels: all of it belongs to the creation of the slot, not to the first
    // keystroke.
    void warm_up(const prepared_step & on_step);
    // On a GPU, evaluates a prompt whose batches grow as far as those of a real one would, and forgets it. Longer
    // batches and contexts need other kernels. With cooperative matrices, NVIDIA's driver took 60 s to compile them (4B
    // on an H200, once on a machine). The first prompts would wait for that. For the first slot of a model.
    // Precondition: nothing was evaluated since warm_up.
    void compile_for_prompts(const prepared_step & on_step);

    // Measures what decoding n + 1 tokens costs against one, what an MTP draft costs, and which batches are exact,
    // after whatever the sequence holds now. The sequence is afterwards as it was, or empty if fewer rows are exact
    // than was assumed. Stops early, without harm, when abort is set; the next call goes on from there. It does nothing
    // where it is not due. Later calls measure only what batches of drafts cost.
    void calibrate(const abort_flag & abort);
    // Before anything is measured, and later again, more and more seldom: an editor that has just started keeps the
    // machine busy.
    bool calibration_due() const { return calibration_.due(generations_); }

    // Takes over what another slot on the same weights has measured, if it has.
    void learn_from(const slot & other);

    // A generation begins on this slot.
    void        begin_generation() { ++generations_; }
    // Its use of the MTP head. reads_ahead as in mtp_session, which the slot outlives.
    mtp_session use_head(bool reads_ahead) { return {mtp_.get(), ctx_, statistics_, reads_ahead}; }

    // Calls `run`, in which other generations may use this slot. Returns what the present generation leaves behind if
    // one did, otherwise nothing.
    std::optional<suspended_generation> let_others_run(const std::function<void()> & run);
    // The slot is aligned to that generation's text again.
    void                                resume(suspended_generation left) { last_ = std::move(left.last); }

    // Swaps the present sequence out, or another one in, or both, where that spares the wanted tokens' evaluation now
    // or the present ones' later. Call it before anything is decided about the wanted ones.
    swap_plan exchange(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries);

    // As sequence::append; what follows the sequence goes back with it.
    bool    append(const token_id * tokens, int32_t count, logit_rows rows, const decode_cut & cut);
    void    set_hidden_rows(bool enabled) { seq_.set_hidden_rows(enabled); }
    // Before drafts that the backend has no snapshots for; as sequence::set_savepoint.
    void    set_savepoint() { seq_.set_savepoint(); }
    // Rejects the drafts after the first `length` tokens, which are those of `text`; what follows the sequence goes
    // back with it. by_copy: to the savepoint, and evaluates what is then missing again. Returns how many tokens those
    // are.
    int32_t take_back(const token_id * text, int32_t length, bool by_copy);

    // A batch of a prompt took so long.
    void observe_prefill(int32_t tokens, double ms);

    // How many of the next `tokens` tokens of a prompt one batch should have on a GPU.
    int32_t first_of(int32_t tokens) const { return gpu_pace_.first_of(tokens); }

    // Whether a checkpoint at `length` tokens is worth its time.
    bool checkpoint_pays(checkpoint_kind kind, int32_t length) const;
    // As sequence::take_checkpoint, if it pays.
    void take_checkpoint(checkpoint_kind kind);

    // As sequence::align; the MTP head goes back with the sequence.
    reuse_plan align(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries);

    // As sequence::shift; forgets what cannot follow the shift.
    void shift(int32_t start, int32_t count);

    // As sequence::drop_checkpoints.
    void drop_checkpoints() { seq_.drop_checkpoints(); }

    // The last completion, as its own. Only the present generation calls them.
    void begin_completion(int32_t start, uint64_t path) { last_.begin(start, path); }
    void record(const choice & chosen, const std::string & forced) { last_.record(chosen, forced); }
    void record_end() { last_.record_end(); }
    void keep_completion(size_t count) { last_.keep(count); }
    void forget_completion() { last_.clear(); }

    // Forgets the sequence and what follows it.
    void forget();

  private:
    // Tests change the parts themselves.
    friend struct slot_parts;

    // For what is evaluated only to have been.
    token_id filler_token() const;
    // Forgets what the sequence no longer holds.
    void     follow_sequence();
    // Whether the next checkpoint needs memory that nothing was copied to before.
    bool     copies_into_fresh_memory() const;
    // As sequence::move_out. False: there is no room for it.
    bool     swap_out(int32_t keep);
    void     set_exact_rows(int32_t rows);

    // In the order of their dependence.
    std::shared_ptr<const model>            model_;
    std::shared_ptr<const vocabulary_index> vocabulary_;
    std::shared_ptr<swap_store>             swap_;
    slot_kind                               kind_;
    context                                 ctx_;
    sequence                                seq_;
    std::unique_ptr<mtp_head>               mtp_;
    last_completion                         last_;
    draft_statistics                        statistics_;
    batch_pace                              pace_;
    gpu_pace                                gpu_pace_;
    calibration                             calibration_;

    // Generations that have begun here.
    uint64_t generations_ = 0;
    // A suspended generation comes back to what is held.
    bool     awaited_     = false;
};

} // namespace inkling

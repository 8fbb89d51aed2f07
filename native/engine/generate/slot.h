#pragma once

#include "engine/base/abort_flag.h"
#include "engine/draft/draft_policy.h"
#include "engine/draft/mtp_head.h"
#include "engine/llama/context.h"
#include "engine/state/sequence.h"
#include "engine/state/swap_policy.h"
#include "engine/state/swap_store.h"
#include "engine/text/vocabulary_index.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
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

// Everything that one line of text (completion, or a chat) keeps between its generations: the evaluated sequence, the
// MTP head that follows it, what was generated last, and what decoding costs here. Engine thread only.
class slot {
  public:
    // Throws engine_error: out_of_memory.
    slot(std::shared_ptr<const model> owner, const slot_params & params);

    slot(const slot &)             = delete;
    slot & operator=(const slot &) = delete;

    const model & owner() const { return *model_; }

    // Measures what decoding n + 1 tokens costs against one, and an MTP draft, behind whatever the sequence holds now;
    // and which batches are exact. The sequence is afterwards as it was, or empty if fewer are than was thought. Stops
    // early, without harm, when abort is set; the next call goes on from there. Where it is not due, it does nothing;
    // where all is measured already, it measures only again what batches of drafts cost.
    void calibrate(const abort_flag & abort);
    // Before anything is measured, and again and again later, more and more seldom: an editor that has just started
    // keeps the machine busy.
    bool calibration_due() const { return !costs.measured() || generations >= next_calibration_; }

    // Takes over what another slot on the same weights has measured, if it has.
    void learn_from(const slot & other);

    // Puts the present sequence away, or brings one back, or both, where that spares the wanted tokens' evaluation now
    // or the present ones' later. Call before anything is decided about the wanted ones.
    swap_plan exchange(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries);

    // Shortens the sequence and what follows it.
    void forget();

  private:
    std::shared_ptr<const model>            model_;
    std::shared_ptr<const vocabulary_index> vocabulary_;
    std::shared_ptr<swap_store>             swap_;
    slot_kind                               kind_;
    // What a calibration that was cut short has measured: who types all the time leaves only short pauses.
    struct {
        decode_costs                       costs;
        std::array<int32_t, MAX_DRAFT + 1> samples{}; // of each entry of costs.verify
    } unfinished_;
    uint64_t next_calibration_ = 0;
    uint64_t calibrations_     = 0;

    // False: there is no room for it.
    bool    swap_out();
    // The most tokens, up to MOST_EXACT_ROWS, that give the same logits to the last bit in one batch as one by one, and
    // leave the same state; of no meaning once abort is set. Precondition: the sequence is marked; it is left there.
    int32_t measure_exact_rows(const std::vector<token_id> & tokens, const abort_flag & abort);
    void    set_exact_rows(int32_t rows);
    // Costs of the head, 0 where it has none or fails. Precondition: the sequence holds `length` tokens.
    void    measure_head(int32_t length, decode_costs & into);

  public:
    // In the order of their dependence.
    context                   ctx;
    sequence                  seq;
    std::unique_ptr<mtp_head> mtp; // null without an MTP block
    const vocabulary_index &  vocabulary;
    last_completion           live;
    // A generation that was interrupted comes back to what is held.
    bool                      awaited     = false;
    // Generations that have begun here, by which one that was preempted sees whether its tokens are still held.
    uint64_t                  generations = 0;
    decode_costs              costs;
    acceptance_record         acceptance;
    // Of an answer, lately.
    double                    typical_tokens = 16.0;
    // Generations in which the MTP head failed.
    int32_t                   mtp_failures   = 0;
    // Generations since drafts of the MTP head were last tried though they did not promise to pay.
    int32_t                   since_probe    = 0;
};

} // namespace inkling

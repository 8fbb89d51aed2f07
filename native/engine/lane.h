#pragma once

#include "engine/abort_flag.h"
#include "engine/context.h"
#include "engine/draft_policy.h"
#include "engine/mtp_head.h"
#include "engine/parked_store.h"
#include "engine/parking_policy.h"
#include "engine/sequence.h"
#include "engine/vocabulary_index.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace inkling {

struct lane_params {
    context_params                          context;
    uint64_t                                checkpoint_budget_bytes = 0;
    bool                                    mtp                     = true;
    // Shared by the lanes of a model; null = one of its own.
    std::shared_ptr<const vocabulary_index> vocabulary;
    // Shared by the lanes of a model; null = nothing is parked.
    std::shared_ptr<parked_store>           parked;
    lane_kind                               kind = lane_kind::completion;
};

// Everything that one line of text (completion, or a chat) keeps between its generations: the evaluated sequence, the
// MTP head that follows it, what was generated last, and what decoding costs here. Engine thread only.
class lane {
  public:
    // Throws engine_error: out_of_memory.
    lane(std::shared_ptr<const model> owner, const lane_params & params);

    lane(const lane &)             = delete;
    lane & operator=(const lane &) = delete;

    const model & owner() const { return *model_; }

    // Measures what decoding n + 1 tokens costs against one, and an MTP draft, behind whatever the sequence holds now;
    // and which batches are exact. The sequence is afterwards as it was, or empty if fewer are than was thought. Stops
    // early, without harm, when abort is set; the next call goes on from there. Where it is not due, it does nothing;
    // where all is measured already, it measures only again what batches of drafts cost.
    void calibrate(const abort_flag & abort);
    // Before anything is measured, and again and again later, more and more seldom: an editor that has just started
    // keeps the machine busy.
    bool calibration_due() const { return !costs.measured() || generations >= next_calibration_; }

    // Takes over what another lane on the same weights has measured, if it has.
    void learn_from(const lane & other);

    // Puts the present sequence away, or brings one back, or both, where that spares the wanted tokens' evaluation now
    // or the present ones' later. Call before anything is decided about the wanted ones.
    parking_plan exchange(const std::vector<token_id> & wanted, const std::vector<int32_t> & marks);

    // Shortens the sequence and what follows it.
    void forget();

  private:
    std::shared_ptr<const model>            model_;
    std::shared_ptr<const vocabulary_index> vocabulary_;
    std::shared_ptr<parked_store>           parked_;
    lane_kind                               kind_;
    // What a calibration that was cut short has measured: who types all the time leaves only short pauses.
    struct {
        decode_costs                       costs;
        std::array<int32_t, MAX_DRAFT + 1> samples{}; // of each entry of costs.verify
    } unfinished_;
    uint64_t next_calibration_ = 0;
    uint64_t calibrations_     = 0;

    // False: there is no room for it.
    bool    park();
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
    live_text                 live;
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

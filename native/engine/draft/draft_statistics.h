#pragma once

#include "engine/draft/draft_policy.h"

#include <cstdint>

namespace inkling {

// What a slot has learned about drafting with its model on this machine: the cost of batches, how often drafts are
// accepted, how long answers are, and whether the MTP head works.
class draft_statistics {
  public:
    draft_statistics() = default;
    explicit draft_statistics(const decode_costs & costs) : costs_(costs) {}

    const decode_costs &      costs() const { return costs_; }
    const acceptance_record & acceptance() const { return acceptance_; }
    // Tokens of an answer, lately.
    double                    typical_tokens() const { return typical_tokens_; }

    void set_costs(const decode_costs & costs) { costs_ = costs; }
    // The observations below are those of decode_costs and acceptance_record.
    void remeasure(const decode_costs & now) { costs_.remeasure(now); }
    void observe_verify(int32_t drafts, double milliseconds) { costs_.observe_verify(drafts, milliseconds); }
    void observe_draft(double milliseconds) { costs_.observe_draft(milliseconds); }
    void observe_acceptance(draft_source source, int32_t offered, int32_t accepted, const int32_t * buckets) {
        acceptance_.observe(source, offered, accepted, buckets);
    }
    void observe_answer(int32_t tokens) { typical_tokens_ += 0.1 * (tokens - typical_tokens_); }
    // Takes over costs and failures of another slot with the same model.
    void learn_from(const draft_statistics & other);

    // Generations in which the MTP head failed.
    int32_t mtp_failures() const { return mtp_failures_; }
    void    count_mtp_failure() { ++mtp_failures_; }
    // It failed so often that it is not asked again: each failure costs a generation some of its time.
    bool    mtp_given_up() const;

    // A head whose drafts stopped paying is tried again after some generations, for a few rounds.
    void count_generation_without_mtp() { ++since_probe_; }
    bool mtp_probe_due() const;
    void end_mtp_probe() { since_probe_ = 0; }

  private:
    decode_costs      costs_;
    acceptance_record acceptance_;
    double            typical_tokens_ = 16.0;
    int32_t           mtp_failures_   = 0;
    int32_t           since_probe_    = 0;
};

} // namespace inkling

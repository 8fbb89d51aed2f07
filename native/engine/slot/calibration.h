#pragma once

#include "engine/base/abort_flag.h"
#include "engine/base/tokens.h"
#include "engine/draft/draft_statistics.h"
#include "engine/draft/mtp_head.h"
#include "engine/slot/gpu_pace.h"
#include "engine/state/sequence.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace inkling {

// Measures in idle time what batches of a few tokens cost, and how many rows are exact, after whatever the sequence
// holds.
class calibration {
  public:
    // All outlive this. head is null without one.
    calibration(context & ctx, sequence & seq, mtp_head * head, draft_statistics & statistics, gpu_pace & pace)
        : ctx_(ctx), seq_(seq), head_(head), statistics_(statistics), pace_(pace) {}

    // As slot::calibration_due, where so many generations have begun.
    bool due(uint64_t generations) const { return !statistics_.costs().measured() || generations >= next_; }
    // As slot::calibrate. Returns the number of exact rows where that is another one than was assumed: whatever rests
    // on the assumption is wrong.
    std::optional<int32_t> run(uint64_t generations, const abort_flag & abort);

  private:
    // Measures the batches that are still unmeasured, from a savepoint. Returns false if abort was set.
    bool measure_batches(const std::vector<token_id> & tokens, int32_t longest, const abort_flag & abort);
    // The same of what gpu_pace::observe_short takes, once in each repetition.
    bool measure_short(const std::vector<token_id> & tokens, int32_t repetition, const abort_flag & abort);
    // Counts the most tokens, up to MOST_EXACT_ROWS, that give the same logits to the last bit in one batch as one by
    // one, and leave the same state. Returns false if abort was set; the next call goes on with the same number of
    // rows. Precondition: the sequence has a savepoint; it is left there.
    bool measure_exact_rows(const std::vector<token_id> & tokens, const abort_flag & abort);
    // Costs of the head, 0 where there is none or it fails. Precondition: the sequence holds `length` tokens.
    void measure_head(int32_t length, decode_costs & into);

    context &          ctx_;
    sequence &         seq_;
    mtp_head *         head_;
    draft_statistics & statistics_;
    gpu_pace &         pace_;

    // The next calibration is due after so many generations.
    uint64_t next_ = 0;
    // How many calibrations were finished.
    uint64_t done_ = 0;
    // What a calibration that was cut short has measured: a user who types all the time leaves only short pauses.
    struct {
        decode_costs                       costs;
        std::array<int32_t, MAX_DRAFT + 1> samples{};         // of each entry of costs.verify
        int32_t                            exact_rows    = 1; // that were compared and are exact
        double                             short_ms      = 0.0;
        double                             long_ms       = 0.0;
        int32_t                            short_samples = 0;
    } unfinished_;
};

} // namespace inkling

#pragma once

#include "engine/job.h"
#include "engine/live_text.h"
#include "engine/mtp_head.h"
#include "engine/sequence.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace inkling {

// A sequence whose lane holds another one at present.
struct parked_sequence {
    lane_kind               lane = lane_kind::completion;
    sequence_copy           copy;
    // Nothing without a head, or where there was no room for it.
    std::optional<mtp_copy> mtp;
    live_text               live;
    uint64_t                parked_at = 0; // counts what was parked; set by the store

    uint64_t bytes() const { return copy.bytes() + (mtp ? mtp->bytes() : 0); }
};

// Parked sequences of all lanes, in host memory, within a byte budget. When it is full, those that were put here first
// lose most of their checkpoints; if that is not enough, the one goes that saves the fewest tokens per byte, weighed by
// how long ago it was put here.
class parked_store {
  public:
    explicit parked_store(uint64_t budget_bytes) : budget_(budget_bytes) {}

    uint64_t                             budget() const { return budget_; }
    const std::vector<parked_sequence> & items() const { return items_; }
    uint64_t                             bytes() const;
    // Of one lane.
    uint64_t                             bytes(lane_kind lane) const;

    // Precondition: its bytes are within the budget.
    void            add(parked_sequence item);
    parked_sequence take(size_t index);
    void            clear() { items_.clear(); }
    void            clear(lane_kind lane);

  private:
    uint64_t                     budget_;
    uint64_t                     clock_ = 0;
    std::vector<parked_sequence> items_;
};

} // namespace inkling

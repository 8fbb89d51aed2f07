#pragma once

#include "engine/base/job.h"
#include "engine/draft/mtp_head.h"
#include "engine/state/last_completion.h"
#include "engine/state/sequence.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace inkling {

// A sequence whose slot holds another one at present.
struct swapped_prompt {
    slot_kind               slot = slot_kind::completion;
    sequence_copy           copy;
    // Nothing without a head, or where there was no room for it.
    std::optional<mtp_copy> mtp;
    last_completion         last;
    uint64_t                swapped_at = 0; // counts what was swapped out; set by the store

    uint64_t bytes() const { return copy.bytes() + (mtp ? mtp->bytes() : 0); }
};

// Swapped-out prompts of all slots, in host memory, within a byte budget. When the budget is full, the oldest lose most
// of their checkpoints. If that is not enough, the prompt that saves the fewest tokens per byte is dropped, weighted by
// its age.
class swap_store {
  public:
    explicit swap_store(uint64_t budget_bytes) : budget_(budget_bytes) {}

    uint64_t                            budget() const { return budget_; }
    const std::vector<swapped_prompt> & items() const { return items_; }
    uint64_t                            bytes() const;
    // Bytes of one slot's prompts.
    uint64_t                            bytes(slot_kind slot) const;

    // Returns the memory of checkpoints that were dropped for it. Precondition: its bytes are within the budget.
    std::vector<state_copy> add(swapped_prompt item);
    swapped_prompt          take(size_t index);
    void                    clear() { items_.clear(); }
    void                    clear(slot_kind slot);

  private:
    uint64_t                    budget_;
    uint64_t                    clock_ = 0;
    std::vector<swapped_prompt> items_;
};

} // namespace inkling

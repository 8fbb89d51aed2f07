#pragma once

#include "engine/base/state_copy.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace inkling {

// Why a checkpoint was taken, which says how likely it is to be gone back to.
enum class checkpoint_kind {
    interval,   // after batches of a prefill: an edit far from the cursor goes back to it
    completion, // every few tokens of a completion: the next keystroke may
    typed,      // at the end of the typed text: the next keystroke will
    boundary,   // at a section boundary of the prompt: the next request will
};

// A copy of the recurrent state after `length` tokens, in host memory.
struct checkpoint {
    int32_t         length = 0;
    checkpoint_kind kind   = checkpoint_kind::interval;
    state_copy      state;
};

// The checkpoints of one sequence, ascending by length, within a byte budget. When the budget is full, the checkpoint
// whose loss costs least is dropped: the fewest expected tokens to evaluate again, per byte.
class checkpoint_store {
  public:
    explicit checkpoint_store(uint64_t budget_bytes);

    // A buffer of `bytes` for the next checkpoint. Uses one that was dropped before, if there is one: to touch fresh
    // memory costs more than to copy a state. Otherwise it is allocated from `memory`.
    state_copy take_buffer(size_t bytes, const state_copy::allocator_type & memory = {});
    // Whether that would be allocated.
    bool       needs_memory(size_t bytes) const { return spare_.empty() && !needs_eviction(bytes); }

    // Replaces one of the same length. Returns false, and keeps nothing of it, if it alone exceeds the budget.
    bool                    add(checkpoint item);
    // Drops what was taken after `length` tokens, because those tokens are no longer part of the sequence.
    void                    truncate(int32_t length);
    // Keeps the memory for the next checkpoints; shrink_to(0) gives it back.
    void                    clear();
    // Moves all of them out, and back into an empty store.
    std::vector<checkpoint> take_all();
    void                    put_all(std::vector<checkpoint> items);
    // Null if there is none of that length.
    const checkpoint *      find(int32_t length) const;
    std::vector<int32_t>    lengths() const;
    // The greatest length at most `length`; 0 if there is none.
    int32_t                 nearest_at_most(int32_t length) const;
    // Frees until at most `limit` bytes are held. Memory of checkpoints that are dropped for it goes to `dropped`, if
    // that is not null.
    void                    shrink_to(uint64_t limit, std::vector<state_copy> * dropped = nullptr);
    // Keeps memory of checkpoints that another store dropped for the next ones here, until MOST_GIVEN buffers are spare
    // or the budget is full.
    void                    give(std::vector<state_copy> dropped);

    // Bytes of the checkpoints and the spare buffers; at most the budget.
    uint64_t bytes() const { return bytes_ + spare_bytes_; }
    uint64_t budget() const { return budget_; }
    size_t   size() const { return items_.size(); }

  private:
    // A prompt has about as many before another one displaces it.
    static constexpr size_t MOST_GIVEN = 8;

    // Whether another checkpoint of `bytes` takes the place of one that is held.
    bool needs_eviction(size_t bytes) const { return bytes <= budget_ && bytes_ + bytes > budget_ && !items_.empty(); }
    // Its memory goes to `into`; null makes it a spare buffer.
    void evict_one(std::vector<state_copy> * into = nullptr);
    void recycle(state_copy && buffer);

    uint64_t                budget_;
    uint64_t                bytes_ = 0;
    std::vector<checkpoint> items_;

    std::vector<state_copy> spare_;
    uint64_t                spare_bytes_ = 0;
};

} // namespace inkling

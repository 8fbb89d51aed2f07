#pragma once

#include "engine/state/batch_history.h"

#include <cstdint>

namespace inkling {

// How many tokens a batch of a prompt may have, so that it stays under BATCH_LIMIT_MS where that is possible: a
// cancellation waits for the end of a batch, or loses it.
class batch_pace {
  public:
    static constexpr double BATCH_LIMIT_MS = 150.0;

    // blocks: batches must consist of whole blocks (BATCH_BLOCK) to give the same numbers, as on the CPU. On a GPU any
    // size counts as equal.
    explicit batch_pace(bool blocks = false) : smallest_(blocks ? BATCH_BLOCK : BATCH_BLOCK / 2) {}

    // A power of two from the smallest on, at most `most`. Twice the last size at most: larger batches are seldom
    // slower by the token, but the first of a size may compile kernels.
    int32_t next(int32_t most) const;
    // A batch of `tokens` took `ms`.
    void    observe(int32_t tokens, double ms);

  private:
    int32_t smallest_;
    int32_t size_ = BATCH_BLOCK;
};

} // namespace inkling

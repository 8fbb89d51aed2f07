#pragma once

#include <cstdint>

namespace inkling {

// How many tokens a batch of a prompt may have, so that it stays under BATCH_LIMIT_MS: a cancellation waits for the end
// of a batch, and on a GPU nobody can cut it short. Only where batches of any size count as equal, as on a GPU; on the
// CPU other batches give other numbers.
class batch_pace {
  public:
    static constexpr double BATCH_LIMIT_MS = 150.0;

    // A power of two from SMALLEST on, at most `most`. Twice the last size at most: larger batches are seldom slower by
    // the token, but the first of a size may compile kernels.
    int32_t next(int32_t most) const;
    // A batch of `tokens` took `ms`.
    void    observe(int32_t tokens, double ms);

  private:
    static constexpr int32_t SMALLEST = 32;

    int32_t size_ = 2 * SMALLEST;
};

} // namespace inkling

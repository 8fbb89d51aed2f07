#pragma once

#include "engine/state/checkpoint_store.h"

#include <cstdint>

namespace inkling {

// Whether a copy of state is worth its time. A large model's recurrent state is tens of megabytes. While a GPU copies
// them to host memory, it could evaluate many tokens; a CPU could evaluate a few. Before batches and copies have been
// observed a copy counts as free.
class copy_pace {
  public:
    // A batch of `tokens` took `ms`.
    void observe_batch(int32_t tokens, double ms);
    // A copy of `bytes` took `ms`.
    void observe_copy(uint64_t bytes, double ms);

    // How many tokens are evaluated in the time of a copy.
    double tokens_of(uint64_t bytes) const;
    // gap: tokens since the last checkpoint, which would be evaluated again without one of `bytes` here.
    bool   pays(checkpoint_kind kind, int32_t gap, uint64_t bytes) const;

  private:
    // The best so far, 0 before the first.
    double token_ms_ = 0.0;
    double byte_ms_  = 0.0;
};

} // namespace inkling

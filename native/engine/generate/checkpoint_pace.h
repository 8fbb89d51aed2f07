#pragma once

#include "engine/state/checkpoint_store.h"

#include <cstdint>

namespace inkling {

// Whether a checkpoint is worth the time of its copy. A large model's state is tens of megabytes. A GPU that copies
// them to host memory could evaluate some hundred tokens meanwhile; a CPU evaluates less than ten. Before both have
// been observed every checkpoint is worth it.
class checkpoint_pace {
  public:
    // A batch of `tokens` took `ms`.
    void observe_batch(int32_t tokens, double ms);
    // A copy of the state took `ms`.
    void observe_copy(double ms);

    // gap: tokens since the last checkpoint, which would be evaluated again without this one.
    bool pays(checkpoint_kind kind, int32_t gap) const;

  private:
    // The best so far, 0 before the first.
    double token_ms_ = 0.0;
    double copy_ms_  = 0.0;
};

} // namespace inkling

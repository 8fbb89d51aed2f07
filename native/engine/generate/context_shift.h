#pragma once

#include "engine/generate/answer.h"
#include "engine/generate/generation.h"
#include "engine/slot/slot.h"

#include <cstdint>

namespace inkling {

// Goes on where the context is full, by forgetting half of what follows the start.
class context_shift {
  public:
    context_shift(slot & on, context_policy policy, answer & out) : slot_(on), policy_(policy), answer_(out) {}

    // Makes room for one more token, if the policy and the model allow it. Returns whether there is room.
    bool    make_room();
    // Tokens forgotten so far.
    int32_t forgotten() const { return forgotten_; }

  private:
    slot &         slot_;
    context_policy policy_;
    answer &       answer_;
    int32_t        forgotten_ = 0;
};

} // namespace inkling

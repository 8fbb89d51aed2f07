#pragma once

#include "engine/generate/answer.h"
#include "engine/generate/generation.h"
#include "engine/generate/interruptions.h"
#include "engine/slot/slot.h"

#include <optional>

namespace inkling {

// The part of a generation that needs no evaluation. Where the user typed along the last completion, its tokens are the
// answer again.
class completion_replay {
  public:
    completion_replay(const generation_request & request, slot & on, answer & out, const interruptions & stops,
                      generation_metrics & metrics);

    // Takes as much of the answer as the last completion gives, and drops a last completion that the prompt departs
    // from.
    void run();

  private:
    std::optional<size_t> place() const;
    // Whether evaluating the prompt now would spare a later request no more than one token.
    bool                  prompt_held() const;
    // Counts the whole prompt as reused.
    void                  count_as_reused();
    void                  replay_from(size_t place);

    const generation_request & request_;
    slot &                     slot_;
    answer &                   answer_;
    const interruptions &      interruptions_;
    generation_metrics &       metrics_;
};

} // namespace inkling

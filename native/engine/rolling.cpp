// The part of generation_run that goes on where the context is full.
#include "engine/generation_run.h"

namespace inkling {

bool generation_run::make_room() {
    const int32_t length = lane_.seq.length();
    if (length < lane_.ctx.length()) {
        return true;
    }
    if (request_.when_context_full != context_policy::roll || !lane_.seq.can_roll()) {
        return false;
    }
    // The start says what the text is about, and attention rests on its first token.
    int32_t start = prompt_.marks.front();
    if (start > length / 2) {
        start = 1;
    }
    const int32_t gone = (length - start) / 2;
    if (gone == 0) {
        return false;
    }
    lane_.seq.roll(start, gone);
    lane_.live.clear();
    if (lane_.mtp != nullptr) {
        lane_.mtp->clear();
    }
    assumed_.erase(assumed_.begin() + start, assumed_.begin() + start + gone);
    // Of what is evaluated again after a preemption nothing lies where the prompt's seams were.
    prompt_.marks = {start};
    result_.metrics.rolled_tokens += gone;
    return true;
}

} // namespace inkling

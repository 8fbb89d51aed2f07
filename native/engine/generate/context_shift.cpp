// The part of generation_run that goes on where the context is full.
#include "engine/generate/generation_run.h"

namespace inkling {

bool generation_run::make_room() {
    const int32_t length = slot_.seq.length();
    if (length < slot_.ctx.length()) {
        return true;
    }
    if (request_.when_context_full != context_policy::shift || !slot_.seq.can_shift_context()) {
        return false;
    }
    // The start says what the text is about, and attention rests on its first token.
    int32_t start = prompt_.boundaries.front();
    if (start > length / 2) {
        start = 1;
    }
    const int32_t gone = (length - start) / 2;
    if (gone == 0) {
        return false;
    }
    slot_.seq.shift(start, gone);
    slot_.live.clear();
    if (slot_.mtp != nullptr) {
        slot_.mtp->clear();
    }
    assumed_.erase(assumed_.begin() + start, assumed_.begin() + start + gone);
    // Of what is evaluated again after a preemption nothing lies where the prompt's seams were.
    prompt_.boundaries = {start};
    result_.metrics.shifted_tokens += gone;
    return true;
}

} // namespace inkling

#include "engine/generate/context_shift.h"

namespace inkling {

bool context_shift::make_room() {
    const int32_t length = slot_.seq().length();
    if (length < slot_.ctx().length()) {
        return true;
    }
    if (policy_ != context_policy::shift || !slot_.seq().can_shift_context()) {
        return false;
    }
    // The start says what the text is about, and attention relies on its first token.
    int32_t start = answer_.boundaries().front();
    if (start == 0 || start > length / 2) {
        start = 1;
    }
    const int32_t count = (length - start) / 2;
    if (count == 0) {
        return false;
    }
    slot_.shift(start, count);
    answer_.forget(start, count);
    forgotten_ += count;
    return true;
}

} // namespace inkling

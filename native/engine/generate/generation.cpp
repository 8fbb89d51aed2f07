#include "engine/generate/generation.h"

namespace inkling {

const char * to_string(stop_reason reason) {
    switch (reason) {
        case stop_reason::end_of_text: return "endOfText";
        case stop_reason::stop_text: return "stopText";
        case stop_reason::max_tokens: return "maxTokens";
        case stop_reason::time_budget: return "timeBudget";
        case stop_reason::context_full: return "contextFull";
        case stop_reason::aborted: return "aborted";
    }
    return "aborted";
}

double generation_metrics::prefill_tokens_per_second() const {
    const int32_t evaluated = prompt_tokens - reused_tokens;
    return prefill_ms > 0.0 ? evaluated * 1000.0 / prefill_ms : 0.0;
}

double generation_metrics::decode_tokens_per_second() const {
    return decode_ms > 0.0 ? (generated_tokens - replayed_tokens) * 1000.0 / decode_ms : 0.0;
}

} // namespace inkling

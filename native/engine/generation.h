#pragma once

#include "engine/abort_flag.h"
#include "engine/context.h"
#include "engine/model.h"
#include "engine/sampler.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace inkling {

// Text is tokenized without special tokens; a number is one token id.
using prompt_part = std::variant<std::string, token_id>;

struct generation_request {
    std::vector<prompt_part> prompt;
    int32_t                  max_tokens = 0;
    std::vector<std::string> stop;
    std::vector<token_id>    stop_tokens;
    // Milliseconds for prefill and decode together; 0 = none.
    int64_t                  time_budget_ms = 0;
    sampling_params          sampling;
};

enum class stop_reason { end_of_text, stop_text, max_tokens, time_budget, context_full, aborted };

// The spelling of server/src/engine/addon-types.ts.
const char * to_string(stop_reason reason);

struct generation_metrics {
    int32_t  prompt_tokens         = 0;
    int32_t  reused_tokens         = 0; // of the prompt, those whose state was already held
    int32_t  evaluated_tokens      = 0; // every token that went through the trunk
    int32_t  generated_tokens      = 0;
    int32_t  drafted_tokens        = 0;
    int32_t  accepted_draft_tokens = 0;
    double   queued_ms             = 0.0;
    double   prefill_ms            = 0.0;
    double   decode_ms             = 0.0;
    // Resident bytes of the process at the end of the generation, and its highest so far.
    uint64_t active_rss            = 0;
    uint64_t peak_rss              = 0;

    double prefill_tokens_per_second() const;
    double decode_tokens_per_second() const;
};

struct generation_result {
    std::string           text;
    std::vector<token_id> tokens;
    stop_reason           reason = stop_reason::end_of_text;
    generation_metrics    metrics;
};

// One streaming generation, start to end, on the calling (engine) thread. on_text receives whole UTF-8 characters.
// An abort ends it at the next chunk or token with what it has.
// Throws engine_error: invalid_argument (token id out of range, empty prompt), prompt_too_long, decode_failed.
generation_result generate(const model & loaded, context & ctx, const generation_request & request,
                           const abort_flag & abort, const std::function<void(const std::string &)> & on_text);

} // namespace inkling

#pragma once

#include "engine/generate/generation.h"
#include "engine/llama/model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace inkling {

// A prompt as tokens.
struct prompt_tokens {
    std::vector<token_id> tokens;
    // Lengths of `tokens` at which a section begins, ascending; a checkpoint is taken there. The boundary before the
    // typed text is one token early: if healing takes all of that text back, the last token of the prompt must still be
    // evaluated for its logits. Otherwise that token is one more row in the batch of the typed text.
    std::vector<int32_t>  boundaries;
    // With healing: bytes that the first generated tokens must write before anything is shown.
    std::string           forced;
};

// Throws engine_error: invalid_argument (a token id out of range, no tokens at all).
prompt_tokens tokenize_prompt(const model & loaded, const generation_request & request);

} // namespace inkling

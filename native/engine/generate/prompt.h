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
    // Lengths of `tokens` at which a checkpoint is wanted, ascending. That before the typed text is one token early:
    // where healing takes all of that text back, its end is the prompt's, and the last token is evaluated for its
    // logits. Where it does not, that token is one row more in the batch of what is typed.
    std::vector<int32_t>  boundaries;
    // With healing: bytes that the first generated tokens must write before anything is shown.
    std::string           forced;
};

// Throws engine_error: invalid_argument (a token id out of range, no tokens at all).
prompt_tokens tokenize_prompt(const model & loaded, const generation_request & request);

} // namespace inkling

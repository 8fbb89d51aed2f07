#pragma once

#include "engine/llama/model.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace inkling {

// Text before the cursor, split where its tokens can no longer change with what follows.
struct healed_text {
    std::vector<token_id> stable;
    // Bytes after the stable tokens, which the next tokens must begin with; and the tokens that the tokenizer gives
    // these bytes if nothing follows, as a guess at the next tokens.
    std::string           rest;
    std::vector<token_id> rest_tokens;
};

// Bytes at the end of text whose tokens depend on what comes next: the last run of letters, digits, punctuation or
// blanks, with the blank that a byte-level pre-tokenizer joins to it.
size_t unstable_suffix(std::string_view text);

// Tokenizes text and moves its unstable end to `rest`, at most max_rest_tokens of it.
healed_text heal(const model & loaded, std::string_view text, int32_t max_rest_tokens);

} // namespace inkling

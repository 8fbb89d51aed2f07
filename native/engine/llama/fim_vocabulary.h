#pragma once

#include "engine/base/tokens.h"

#include <optional>
#include <string>
#include <vector>

struct llama_vocab;

namespace inkling {

struct fim_tokens {
    // no_token where the vocabulary has no such token. Prefix and suffix always exist; without a middle token, the
    // prefix itself goes on (Codestral).
    token_id prefix       = no_token;
    token_id suffix       = no_token;
    token_id middle       = no_token;
    token_id pad          = no_token;
    token_id repo         = no_token;
    token_id file_sep     = no_token;
    // The spelling of the tokens is one of a family that was trained with the suffix before the prefix.
    bool     suffix_first = false;
};

// The tokens of a vocabulary that fill in the middle: those that llama.cpp knows, or those of a family that it does not
// know. `names` are the model's name and its file's name.
std::optional<fim_tokens> find_fim_tokens(const llama_vocab * vocab, const std::vector<std::string> & names);

// Tokens that begin another file, or say something about one, in what code models were trained on: `<file_sep>`,
// `<filename>` and the like. Not all files mark them as control tokens. Ascending.
std::vector<token_id> find_file_markers(const llama_vocab * vocab);

} // namespace inkling

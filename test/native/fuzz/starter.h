#pragma once

#include "engine/llama/model.h"
#include "engine/text/vocabulary_index.h"

#include <string>

namespace inkling_fuzz {

// The starter model without its weights: a vocabulary of byte-level tokens. Loaded once per program.
const inkling::model &            starter_vocabulary();
const inkling::vocabulary_index & starter_index();

// Whether bytes are UTF-8 as Unicode defines it: no overlong forms, no surrogates, at most U+10FFFF.
bool is_utf8(std::string_view bytes);

// The bytes with U+FFFD for what is not UTF-8, as texts come from JavaScript.
std::string to_utf8(std::string_view bytes);

} // namespace inkling_fuzz

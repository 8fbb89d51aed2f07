#pragma once

#include <cstdint>

namespace inkling {

// llama.cpp's own types, named here so that this folder's headers do not need llama.h.
using token_id       = int32_t;
using token_position = int32_t;

constexpr token_id no_token = -1;

} // namespace inkling

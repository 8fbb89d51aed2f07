#pragma once

#include "engine/engine.h"

#include <cstdint>
#include <string>

// An engine's asynchronous calls, waited for.

namespace inkling_test {

// The starter model with this context.
inkling::load_request request_for(int32_t context_length);

// So many tokens of prompt that resemble no text; speculates, so that the MTP head runs, too.
inkling::generation_request long_request(int32_t prompt_tokens);

// "" on success, otherwise the error's code, ": " and its message.
std::string load_and_wait(inkling::engine & target, inkling::load_request request);

// Fails the case that runs where the generation fails.
void generate_and_wait(inkling::engine & on, const inkling::generation_request & request);

// "" once it is done; something else after a minute.
std::string release_and_wait(inkling::engine & subject, inkling::release_target what);

} // namespace inkling_test

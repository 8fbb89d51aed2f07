#pragma once

#include "engine/engine.h"

#include <cstdint>
#include <functional>
#include <string>

// An engine's asynchronous calls, made synchronous.

namespace inkling_test {

// A load of the starter model with this context.
inkling::load_request request_for(int32_t context_length);

// A prompt of this many tokens that resembles no text. It speculates, so that the MTP head runs too.
inkling::generation_request long_request(int32_t prompt_tokens);

// "" on success, otherwise the error code, ": " and the message.
std::string load_and_wait(inkling::engine & target, inkling::load_request request,
                          const std::function<void(float)> & progress = nullptr);

// Fails the current test case if the generation fails.
void generate_and_wait(inkling::engine & on, const inkling::generation_request & request);

// "" once the release is done; something else after a minute.
std::string release_and_wait(inkling::engine & subject, inkling::release_target what);

} // namespace inkling_test

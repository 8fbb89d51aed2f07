#include "engine/generate/prompt.h"

#include "engine/base/error.h"
#include "engine/text/token_healing.h"

#include <algorithm>

namespace inkling {

namespace {

// Tokens at the end of the typed text that may be chosen again: enough for a long identifier.
constexpr int32_t MAX_HEALED_TOKENS = 4;

} // namespace

prompt_tokens tokenize_prompt(const model & loaded, const generation_request & request) {
    prompt_tokens result;
    const auto    append = [&](const std::vector<token_id> & tokens) {
        result.tokens.insert(result.tokens.end(), tokens.begin(), tokens.end());
    };
    const auto is_boundary = [&](size_t i) {
        return std::find(request.boundaries.begin(), request.boundaries.end(), static_cast<int32_t>(i)) !=
               request.boundaries.end();
    };
    // Where text is typed, or will be. The batches up to here must not depend on how much of it there is.
    const auto add_typed_boundary = [&] {
        result.boundaries.push_back(std::max(0, static_cast<int32_t>(result.tokens.size()) - 1));
    };
    for (size_t i = 0; i < request.prompt.size(); ++i) {
        const prompt_part & part = request.prompt[i];
        if (is_boundary(i) && i + 1 == request.prompt.size() && std::holds_alternative<std::string>(part)) {
            add_typed_boundary();
        } else if (is_boundary(i)) {
            result.boundaries.push_back(static_cast<int32_t>(result.tokens.size()));
        }
        if (const auto * text = std::get_if<std::string>(&part)) {
            if (request.heal && i + 1 == request.prompt.size()) {
                healed_text healed = heal(loaded, *text, MAX_HEALED_TOKENS);
                append(healed.stable);
                result.forced = std::move(healed.rest);
            } else {
                append(loaded.tokenize(*text, /*parse_special =*/false));
            }
            continue;
        }
        const token_id token = std::get<token_id>(part);
        if (!loaded.is_token(token)) {
            throw engine_error(error_code::invalid_argument,
                               "prompt: " + std::to_string(token) +
                                   " is not a token of this model, whose vocabulary has " +
                                   std::to_string(loaded.facts().vocabulary_size));
        }
        result.tokens.push_back(token);
    }
    if (is_boundary(request.prompt.size())) {
        add_typed_boundary();
    }
    if (result.tokens.empty()) {
        throw engine_error(error_code::invalid_argument, "prompt: it has no tokens");
    }
    if (result.boundaries.empty()) {
        // Batches then end where the prompt does, so that what follows can be evaluated freely.
        result.boundaries.push_back(static_cast<int32_t>(result.tokens.size()));
    }
    return result;
}

} // namespace inkling

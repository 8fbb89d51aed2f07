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
    std::vector<int32_t> sections = request.boundaries;
    std::sort(sections.begin(), sections.end());
    const auto is_boundary = [&](size_t i) {
        return std::binary_search(sections.begin(), sections.end(), static_cast<int32_t>(i));
    };
    // Where text is typed, or will be. The batches up to here must not depend on how much of it there is.
    const auto add_typed_boundary = [&] {
        const int32_t place = std::max(0, static_cast<int32_t>(result.tokens.size()) - 1);
        // A section without tokens before it begins at the same place, one token later.
        while (!result.boundaries.empty() && result.boundaries.back() > place) {
            result.boundaries.pop_back();
        }
        result.boundaries.push_back(place);
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

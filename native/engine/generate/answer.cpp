#include "engine/generate/answer.h"

#include "engine/base/error.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace inkling {

namespace {

bool contains(const std::vector<token_id> & tokens, token_id token) {
    return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

} // namespace

answer::answer(const generation_request & request, const model & loaded, const vocabulary_index & vocabulary,
               const std::function<void(const std::string &)> & on_text)
    : request_(request),
      model_(loaded),
      vocabulary_(vocabulary),
      on_text_(on_text),
      sampler_(request.sampling, loaded.facts().vocabulary_size),
      stream_(request.stop) {}

void answer::begin(prompt_tokens prompt) {
    text_tokens_   = std::move(prompt.tokens);
    boundaries_    = std::move(prompt.boundaries);
    prompt_forced_ = std::move(prompt.forced);
    forced_        = prompt_forced_;
}

void answer::say_given(const std::vector<token_id> & tokens) {
    for (size_t i = 0; i < tokens.size() && !ended(); ++i) {
        const bool known = model_.is_token(tokens[i]);
        if (!known || !fits(tokens[i])) {
            throw engine_error(error_code::invalid_argument,
                               "begin[" + std::to_string(i) + "]: " + std::to_string(tokens[i]) +
                                   (known ? " does not write what is typed" : " is not a token of this model"));
        }
        say({tokens[i], 0.0f, 0.0f, {}});
    }
}

choice answer::within_forced(const completion_token & known) const {
    choice again = known.chosen;
    if (known.forced != forced_) {
        std::erase_if(again.rivals, [&](const rival & other) { return !fits(other.token); });
        again.allowed_log_probability = log_probability_among(again.log_probability, again.rivals);
    }
    return again;
}

void answer::forget(int32_t start, int32_t count) {
    text_tokens_.erase(text_tokens_.begin() + start, text_tokens_.begin() + start + count);
    // The sections after `start` no longer begin where they did.
    boundaries_ = {start};
}

bool answer::fits(token_id token) const {
    const std::string_view piece = vocabulary_.piece(token);
    return forced_.empty() || piece.starts_with(forced_) || (!piece.empty() && forced_.starts_with(piece));
}

bool answer::is_end(token_id token) const {
    return token == no_token || model_.is_end(token) || contains(request_.stop_tokens, token) ||
           (request_.ends_with_file && model_.ends_file(token));
}

bool answer::is_spelled(token_id token) const {
    return contains(request_.spelled_tokens, token);
}

choice answer::choose(const float * logits) {
    if (forced_.empty()) {
        return sampler_.choose(logits, nullptr);
    }
    vocabulary_.compatible_tokens(forced_, allowed_);
    if (allowed_.empty()) {
        return {};
    }
    return sampler_.choose(logits, &allowed_);
}

choice answer::given(token_id token, const float * logits) {
    if (forced_.empty()) {
        return sampler_.given(token, logits, nullptr);
    }
    vocabulary_.compatible_tokens(forced_, allowed_);
    return sampler_.given(token, logits, &allowed_);
}

void answer::say(const choice & next) {
    text_tokens_.push_back(next.token);
    result_.tokens.push_back(next.token);
    result_.log_probabilities.push_back(next.log_probability);
    result_.given_typed_log_probabilities.push_back(next.allowed_log_probability);
    if (request_.runners_up) {
        const rival runner_up = next.rivals.empty() ? rival{} : next.rivals.front();
        result_.runners_up.push_back(runner_up.token);
        result_.runner_up_log_probabilities.push_back(runner_up.log_probability);
    }

    std::string_view piece  = vocabulary_.piece(next.token);
    const size_t     hidden = std::min(piece.size(), forced_.size());
    forced_.erase(0, hidden);
    piece.remove_prefix(hidden);

    std::string spelled;
    if (hidden == 0 && piece.empty() && is_spelled(next.token)) {
        spelled = model_.piece(next.token, /*special =*/true);
        piece   = spelled;
    }

    result_.piece_lengths.push_back(utf16_length(piece));
    show(stream_.append(piece));
    if (stream_.stopped()) {
        end(stop_reason::stop_text);
    } else if (static_cast<int32_t>(result_.tokens.size()) >= request_.max_tokens) {
        end(stop_reason::max_tokens);
    }
}

void answer::show(const std::string & text) {
    if (!text.empty()) {
        result_.text += text;
        on_text_(text);
    }
}

generation_result answer::finish() {
    if (*reason_ != stop_reason::stop_text) {
        show(stream_.finish());
    }
    result_.reason = *reason_;
    return std::move(result_);
}

} // namespace inkling

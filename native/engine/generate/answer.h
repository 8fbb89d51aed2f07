#pragma once

#include "engine/generate/generation.h"
#include "engine/generate/prompt.h"
#include "engine/state/last_completion.h"
#include "engine/text/sampler.h"
#include "engine/text/text_stream.h"
#include "engine/text/vocabulary_index.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace inkling {

// What one generation says: the choice of each token, the text that is streamed, and the reason for its end.
class answer {
  public:
    // on_text receives whole UTF-8 characters. All arguments outlive this.
    answer(const generation_request & request, const model & loaded, const vocabulary_index & vocabulary,
           const std::function<void(const std::string &)> & on_text);

    // Takes the prompt. Call it first, once.
    void begin(prompt_tokens prompt);
    // Adds tokens that the caller chose. Throws engine_error: invalid_argument.
    void say_given(const std::vector<token_id> & tokens);

    // The prompt and what was said, without what a context shift forgot.
    const std::vector<token_id> & text_tokens() const { return text_tokens_; }
    int32_t                       length() const { return static_cast<int32_t>(text_tokens_.size()); }
    // The section boundaries among text_tokens().
    const std::vector<int32_t> &  boundaries() const { return boundaries_; }
    // Forgets `count` tokens of the text behind the first `start`.
    void                          forget(int32_t start, int32_t count);

    // Tokens of the answer.
    const std::vector<token_id> & said() const { return result_.tokens; }
    // Bytes that the next tokens must write before anything is shown; those of the prompt, and those still left.
    const std::string &           prompt_forced() const { return prompt_forced_; }
    const std::string &           forced() const { return forced_; }
    // Whether a choice depends on the logits alone.
    bool                          deterministic() const { return sampler_.deterministic(); }
    // Whether the token can write the forced bytes, or a part of them.
    bool                          fits(token_id token) const;
    // Whether the request or the model ends at this token; also for no_token.
    bool                          is_end(token_id token) const;

    // Chooses from a row of logits, within the forced bytes; no_token if no token can write them.
    choice choose(const float * logits);
    // What choose() would tell of a token that is taken without a choice. Precondition: fits(token).
    choice given(token_id token, const float * logits);
    // A choice within fewer forced bytes, made again within those now, among the rivals that were kept. Precondition:
    // fits(known.chosen.token).
    choice within_forced(const completion_token & known) const;
    // Adds a token and streams its text. Ends the answer if it is complete.
    void   say(const choice & next);

    void end(stop_reason reason) { reason_ = reason; }
    bool ended() const { return reason_.has_value(); }

    // Streams the rest, and returns all but the metrics. Call it last, once. Precondition: ended().
    generation_result finish();

  private:
    bool is_spelled(token_id token) const;
    void show(const std::string & text);

    const generation_request &                       request_;
    const model &                                    model_;
    const vocabulary_index &                         vocabulary_;
    const std::function<void(const std::string &)> & on_text_;

    generation_result          result_;
    std::optional<stop_reason> reason_;
    sampler                    sampler_;
    text_stream                stream_;
    std::vector<token_id>      text_tokens_;
    std::vector<int32_t>       boundaries_;
    std::string                prompt_forced_;
    std::string                forced_;
    std::vector<token_id>      allowed_; // scratch of choose() and given()
};

} // namespace inkling

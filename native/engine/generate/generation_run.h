#pragma once

#include "engine/base/abort_flag.h"
#include "engine/draft/prompt_lookup.h"
#include "engine/generate/generation.h"
#include "engine/generate/prompt.h"
#include "engine/generate/slot.h"
#include "engine/text/text_stream.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace inkling {

// How a generation lets more urgent jobs go first. wanted is asked at each chunk's and round's end; let_pass runs those
// jobs and comes back. They may use the same slot.
struct preemption {
    std::function<bool()> wanted;
    std::function<void()> let_pass;
};

// One generation on a slot, start to end, on the engine thread: reuse, prefill, rounds of draft and verify.
class generation_run {
  public:
    // on_text receives whole UTF-8 characters. All arguments outlive this; the one by value may be empty.
    generation_run(slot & on, const generation_request & request, const abort_flag & abort,
                   const std::function<void(const std::string &)> & on_text, preemption preempt = {});

    // Call once. An abort or the end of the time budget ends it at the next chunk or round with what it has; what was
    // evaluated stays in the slot. Throws engine_error: invalid_argument, prompt_too_long, decode_failed.
    generation_result execute();

  private:
    struct draft {
        draft_source          source = draft_source::none;
        std::vector<token_id> tokens;
        // How sure each was, of MTP and lookup; one more than tokens where one was withheld.
        std::vector<int32_t>  buckets;
        // Made, but not worth verifying: whether it was right is seen all the same where those before it were accepted.
        token_id              withheld = no_token;
        // What lookup would have drafted, where something else was or nothing: it learns from that, too.
        looked_up             unused;
    };

    // How many of the last completion's tokens the prompt ends behind; nothing if it does not follow it.
    std::optional<size_t> place_in_last_completion() const;
    // Whether evaluating the prompt now would spare a later request no more than one token.
    bool                  holds_prompt();
    // Takes tokens into the answer that were not chosen here. Throws engine_error: invalid_argument.
    void                  begin_with(const std::vector<token_id> & tokens);
    // Takes from the last completion what the prompt and its forced bytes agree with.
    void                  replay_last_completion();
    // Evaluates what is assumed so far; afterwards the last token's logits are at hand. False: it was interrupted.
    bool                  prefill();
    // Makes the sequence hold the first `total` assumed tokens and nothing else, from whatever it holds. False: it was
    // interrupted. Precondition: total is all of them, or all but the last.
    bool                  evaluate(int32_t total, logit_rows last_row);
    // Shortens what the slot holds to what can be kept for the assumed tokens; returns how many those are.
    int32_t               align();
    void                  exchange();
    void                  decode();
    // For one more token, by forgetting some if the request wants that. Returns whether there is.
    bool                  make_room();
    // Between two chunks or rounds: lets more urgent jobs pass. True if they used this slot, which then holds other
    // tokens. Whoever was displaced gets on by one chunk before it is again, and by one more each time that its work
    // was lost; so it comes to its end, however often others come.
    bool                  displaced();

    // Chooses from row i of the last decode, within the forced bytes.
    choice choose(int32_t row);
    // Adds a token to the output. Sets the reason once the generation is complete.
    void   emit(const choice & next);
    void   record_live(const choice & next);
    bool   is_end(token_id token) const;
    bool   is_spelled(token_id token) const;
    bool   fits_forced(std::string_view piece) const;
    bool   interrupted();
    // Since the start, without the time that other jobs took.
    double working_ms() const;
    void   end(stop_reason reason);
    bool   ended() const { return reason_.has_value(); }

    draft        make_draft(const choice & next);
    // Without drafts where the head fails, which is then left alone for the rest of the generation. rate, in tokens per
    // millisecond, is what a draft has to better to be made and verified.
    draft        draft_with_mtp(token_id next, int32_t length, double rate);
    draft        ask_mtp(token_id next, int32_t length, double rate);
    // Nobody waits: a prompt is evaluated for what may come.
    bool         reads_ahead() const { return request_.max_tokens == 0; }
    // What the trunk evaluated last, where the head is wanted.
    void         show_mtp(const token_id * tokens, int32_t count, int32_t position);
    void         give_up_mtp(const std::exception & why);
    int32_t      verify(const draft & guess, choice & next);
    // From what was said meanwhile: the accepted drafts and the next token.
    void         learn_from_unused(const draft & guess, int32_t accepted, const choice & next);
    // by_copy: the state before the round's batch was marked.
    void         take_back(int32_t count, bool by_copy);
    bool         mtp_may_pay() const;
    // For a draft behind `room` tokens at most; the longest draft and the way back from it, wherever either is asked.
    draft_bounds bounds(int32_t room) const;
    void         keep_live_checkpoint();

    slot &                                           slot_;
    const generation_request &                       request_;
    const abort_flag &                               abort_;
    const std::function<void(const std::string &)> & on_text_;
    preemption                                       preempt_;
    std::chrono::steady_clock::time_point            start_;

    generation_result              result_;
    std::optional<stop_reason>     reason_;
    sampler                        sampler_;
    text_stream                    stream_;
    prompt_tokens                  prompt_;
    // The prompt and what was emitted.
    std::vector<token_id>          assumed_;
    std::string                    forced_;
    std::vector<token_id>          allowed_;    // scratch of choose()
    std::vector<token_id>          suggestion_; // the request's draft as tokens of the whole generation
    // What this generation had said, kept while another one has the slot.
    std::optional<last_completion> suspended_live_;
    // What was held when it let others pass; how often not all of that was found again; and how many boundaries it
    // crosses before it lets others pass the next time.
    int32_t                        held_before_ = 0;
    int32_t                        losses_      = 0;
    int32_t                        turn_        = 0;
    bool                           aligned_     = false;
    bool                           use_mtp_     = false;
    int32_t                        probes_      = 0;
};

} // namespace inkling

#pragma once

#include "engine/base/job.h"
#include "engine/draft/draft_policy.h"
#include "engine/state/reuse_policy.h"
#include "engine/text/sampler.h"

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace inkling {

// Text is tokenized without special tokens; a number is one token id.
using prompt_part = std::variant<std::string, token_id>;

enum class speculation_mode {
    automatic, // verified drafts, as many as pay, zero included
    off,
    optimistic, // MTP drafts accepted unverified: faster, output may differ
};

// Where `automatic` may take drafts from, besides the request's own old suggestion.
struct draft_sources {
    bool mtp    = true;
    bool lookup = true;
};

// What happens when there is no room for another token.
enum class context_policy {
    stop,  // the generation ends with context_full
    shift, // half of what follows the start is forgotten, where the model allows it; otherwise as stop
};

struct generation_request {
    std::vector<prompt_part> prompt;
    // Parts (by index) at which a section begins that later prompts will share; a checkpoint is taken before each. The
    // last part, if it is a text, or the number of parts: where the text begins that the user types.
    std::vector<int32_t>     boundaries;
    // 0 only evaluates the prompt, for a later request.
    int32_t                  max_tokens = 0;
    std::vector<std::string> stop;
    std::vector<token_id>    stop_tokens;
    // Whether every special token and every token that begins another file ends the answer, as none of them is text of
    // the file that is completed.
    bool                     ends_with_file = false;
    // Special tokens whose spelling becomes part of the text, which otherwise shows none.
    std::vector<token_id>    spelled_tokens;
    // Milliseconds for prefill and decode together, without the time of more urgent jobs; 0 = no limit.
    int64_t                  time_budget_ms = 0;
    sampling_params          sampling;
    speculation_mode         speculation = speculation_mode::automatic;
    draft_sources            drafts;
    // Whether the tokens at the end of the prompt's last text may be chosen again, within its bytes.
    bool                     heal              = false;
    context_policy           when_context_full = context_policy::stop;
    // What an earlier suggestion said would follow the prompt; verified like any draft.
    std::string              draft;
    // What the answer will mostly say, such as the present text of a region that is to be rewritten. Verified in
    // batches as long as a prefill's, so numbers may differ in their last bits from those of single tokens; with
    // `automatic` only.
    std::string              proposal;
    // Tokens that the answer begins with, whatever the model would choose; for a branch of an earlier answer.
    std::vector<token_id>    begin;
    // Whether the next best token is wanted for each one of the answer.
    bool                     runners_up = false;
    slot_kind                slot       = slot_kind::completion;
    job_priority             priority   = job_priority::completion;
};

enum class stop_reason { end_of_text, stop_text, max_tokens, time_budget, context_full, aborted };

// The spelling of server/src/engine/addon/addon-types.ts.
const char * to_string(stop_reason reason);

struct generation_metrics {
    int32_t                        prompt_tokens         = 0;
    int32_t                        reused_tokens         = 0; // of the prompt, those whose state was already held
    int32_t                        evaluated_tokens      = 0; // every token that went through the trunk
    int32_t                        generated_tokens      = 0;
    int32_t                        shifted_tokens        = 0; // forgotten to make room
    int32_t                        replayed_tokens       = 0; // taken from the last completion at no cost
    int32_t                        drafted_tokens        = 0;
    int32_t                        accepted_draft_tokens = 0;
    int32_t                        rounds = 0; // decodes of the model, without its MTP head, after the prefill
    reuse_action                   reuse  = reuse_action::rebuild;
    // Why the MTP head was given up; empty if it was not. The generation then goes on without its drafts.
    std::string                    draft_failure;
    // The sequence that was held at the start was swapped out; another one was swapped in.
    bool                           swapped_out = false;
    bool                           swapped_in  = false;
    double                         queued_ms   = 0.0;
    double                         prefill_ms  = 0.0;
    double                         decode_ms   = 0.0;
    // How often more urgent jobs ran in between. Their time is no part of the times above.
    int32_t                        preemptions = 0;
    // Evaluations of the MTP head, whether their drafts were offered or not.
    int32_t                        mtp_steps   = 0;
    // By depth: how often a draft was offered there, and accepted.
    std::array<int32_t, MAX_DRAFT> offered_by_depth{};
    std::array<int32_t, MAX_DRAFT> accepted_by_depth{};
    // As context::exact_rows at the end of the generation.
    int32_t                        exact_rows = 0;
    // What draft_policy uses; all zero until it is measured in the idle time after the load.
    decode_costs                   costs;
    // The most resident bytes that the process has had so far.
    uint64_t                       peak_rss = 0;

    double prefill_tokens_per_second() const;
    double decode_tokens_per_second() const;
};

struct generation_result {
    std::string           text;
    std::vector<token_id> tokens;
    std::vector<float>    log_probabilities; // of tokens
    // The same among the tokens that can write the typed bytes, as far as it was kept; equal after them.
    std::vector<float>    given_typed_log_probabilities;
    // UTF-16 units that each of tokens wrote of the text, none for those that only write typed bytes. A character
    // counts for the token that begins it. Together they may exceed the text, which a stop text cuts.
    std::vector<int32_t>  piece_lengths;
    // One for each of tokens; empty unless the request asks for them. no_token where there was no other token to
    // choose.
    std::vector<token_id> runners_up;
    std::vector<float>    runner_up_log_probabilities;
    stop_reason           reason = stop_reason::end_of_text;
    generation_metrics    metrics;
};

} // namespace inkling

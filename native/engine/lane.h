#pragma once

#include "engine/abort_flag.h"
#include "engine/context.h"
#include "engine/draft_policy.h"
#include "engine/mtp_head.h"
#include "engine/sequence.h"
#include "engine/vocabulary_index.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace inkling {

// A token that was chosen by argmax, and the bytes that it then had to begin with or lie within.
struct live_token {
    token_id    token           = no_token;
    float       log_probability = 0.0f;
    std::string forced;
};

// What the model said follows the first `start` tokens of the sequence. Typing along it needs no evaluation: the same
// tokens would be chosen again. The last one may not be evaluated yet.
struct live_text {
    int32_t                 start = 0;
    std::vector<live_token> tokens;
    // After the last of them the model chose to end.
    bool                    ended = false;
    bool                    valid = false;

    void clear();
};

struct lane_params {
    context_params                          context;
    uint64_t                                checkpoint_budget_bytes = 0;
    bool                                    mtp                     = true;
    // Shared by the lanes of a model; null = one of its own.
    std::shared_ptr<const vocabulary_index> vocabulary;
};

// Everything that one line of text (completion, or a chat) keeps between its generations: the evaluated sequence, the
// MTP head that follows it, what was generated last, and what decoding costs here. Engine thread only.
class lane {
  public:
    // Throws engine_error: out_of_memory.
    lane(std::shared_ptr<const model> owner, const lane_params & params);

    lane(const lane &)             = delete;
    lane & operator=(const lane &) = delete;

    const model & owner() const { return *model_; }

    // Measures what decoding n + 1 tokens costs against one, and an MTP draft, behind whatever the sequence holds now;
    // the sequence is afterwards as it was. Stops early, without harm, when abort is set. A second call does nothing.
    void calibrate(const abort_flag & abort);

    // Shortens the sequence and what follows it.
    void forget();

  private:
    std::shared_ptr<const model>            model_;
    std::shared_ptr<const vocabulary_index> vocabulary_;

  public:
    // In the order of their dependence.
    context                   ctx;
    sequence                  seq;
    std::unique_ptr<mtp_head> mtp; // null without an MTP block
    const vocabulary_index &  vocabulary;
    live_text                 live;
    // Generations that have begun here, by which one that was preempted sees whether its tokens are still held.
    uint64_t                  generations = 0;
    decode_costs              costs;
    acceptance_record         acceptance;
    // Generations since drafts of the MTP head were last tried though they did not promise to pay.
    int32_t                   since_probe = 0;
};

} // namespace inkling

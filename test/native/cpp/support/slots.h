#pragma once

#include "engine/generate/generation_run.h"
#include "engine/slot/slot.h"

#include <memory>
#include <string>
#include <vector>

namespace inkling {

// The parts of a slot, which only tests change by themselves.
struct slot_parts {
    static sequence &        seq(slot & of) { return of.seq_; }
    static mtp_head *        mtp(slot & of) { return of.mtp_.get(); }
    static last_completion & last(slot & of) { return of.last_; }
};

} // namespace inkling

namespace inkling_test {

inline inkling::sequence & seq_of(inkling::slot & on) {
    return inkling::slot_parts::seq(on);
}
inline inkling::mtp_head * mtp_of(inkling::slot & on) {
    return inkling::slot_parts::mtp(on);
}

struct slot_options {
    int32_t                               context_length    = 1024;
    int32_t                               batch_size        = 256;
    int32_t                               snapshots         = inkling::MAX_DRAFT;
    std::shared_ptr<const inkling::model> model             = nullptr; // the starter model
    inkling::kv_type                      kv                = inkling::kv_type::f16;
    // More than one only in a test of threads. Such a test has the cores of a machine for itself (see CMakeLists.txt).
    int32_t                               threads           = 1;
    uint64_t                              checkpoint_budget = 64 << 20;
    uint64_t                              swap_budget       = 0;
};

// The options for a tiny model of this architecture.
slot_options              tiny(const std::string & architecture);
// Each tiny model with an MTP head, after the starter model. The thread sanitizer goes without the starter model.
std::vector<slot_options> models_with_head();

// Makes a slot as the engine does.
std::unique_ptr<inkling::slot> make_slot(const slot_options & options);
std::unique_ptr<inkling::slot> make_slot(int32_t context_length, int32_t batch_size,
                                         int32_t snapshots = inkling::MAX_DRAFT);

// Costs with which drafting always pays, so that models on which it does not pay speculate all the time.
inkling::decode_costs eager_costs();

// A fill-in-the-middle prompt of the starter model. `middle` is the text typed since the anchor. It is healed.
inkling::generation_request fim_request(const std::string & prefix, const std::string & suffix, int32_t max_tokens,
                                        const std::string & middle = "");

// Whether the backend computes a batch to the same bits as single tokens, so that tests compare answers to the last
// bit. The CPU does. A GPU does not, and no test expects it. If a case is skipped for that, the output says `what`.
bool bit_exact();
bool bit_exact(const std::string & what);

// How much a log-probability may differ on a GPU because of another batch size. Only a mixture of experts differs that
// much, where a router's choice changes. noise_is_small checks all of them.
constexpr float BATCH_NOISE = 2.5f;

// Empty if both answers are the same. The CPU compares to the last bit, and a GPU within the noise. On a GPU, greedy
// texts may part where two tokens are equally likely within the noise. Sampled texts may part anywhere.
enum class chosen { greedily, by_chance };
std::string difference(const inkling::generation_result & got, const inkling::generation_result & expected,
                       chosen how = chosen::greedily);
bool        same_logits(const float * got, const float * expected, size_t count);
// On a GPU, drafts differ where the head has no clear choice.
bool        same_draft(const inkling::mtp_draft & got, const inkling::mtp_draft & expected);

// Prints the noise of answers that were not compared by bits. Returns whether it is as small as it should be: a wrong
// state would make most answers differ.
bool noise_is_small();

// Runs the request and checks that the streamed text equals the result.
inkling::generation_result run_on(inkling::slot & on, const inkling::generation_request & request,
                                  const inkling::abort_flag & abort = {});

} // namespace inkling_test

#define CHECK_SAME_ANSWER(got, expected)                                                           \
    do {                                                                                           \
        if (const std::string what = inkling_test::difference((got), (expected)); !what.empty()) { \
            inkling_test::fail(__FILE__, __LINE__, what);                                          \
        }                                                                                          \
    } while (false)

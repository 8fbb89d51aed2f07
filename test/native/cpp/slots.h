#pragma once

#include "engine/generate/generation_run.h"
#include "engine/generate/slot.h"

#include <memory>
#include <string>
#include <vector>

namespace inkling_test {

struct slot_options {
    int32_t                               context_length    = 1024;
    int32_t                               batch_size        = 256;
    int32_t                               snapshots         = 6;
    std::shared_ptr<const inkling::model> model             = nullptr; // the starter model
    inkling::kv_type                      kv                = inkling::kv_type::f16;
    // More than one where a test is about that; it then has a machine's cores for itself (see CMakeLists.txt).
    int32_t                               threads           = 1;
    uint64_t                              checkpoint_budget = 64 << 20;
    uint64_t                              swap_budget       = 0;
};

// With a tiny model of this architecture.
slot_options              tiny(const std::string & architecture);
// The starter model and each tiny model with an MTP head.
std::vector<slot_options> models_with_head();

// A slot as the engine would make it.
std::unique_ptr<inkling::slot> make_slot(const slot_options & options);
std::unique_ptr<inkling::slot> make_slot(int32_t context_length, int32_t batch_size, int32_t snapshots = 6);

// Costs under which drafting always pays, so that models on which it does not speculate all the time.
inkling::decode_costs eager_costs();

// A fill-in-the-middle prompt of the starter model. middle, where given, is what was typed since the anchor; it is
// healed.
inkling::generation_request fim_request(const std::string & prefix, const std::string & suffix, int32_t max_tokens,
                                        const std::string & middle = "");

// Whether the backend found here computes a batch to the bits of single tokens, so that answers are compared to the
// last bit: the CPU. A GPU does not, and of it no test expects that; where a case is left out for it, `what` says so
// aloud.
bool bit_exact();
bool bit_exact(const std::string & what);

// Of a GPU: by how much a log-probability may differ because batches were of another size. That much only a mixture of
// experts does, where a router's choice tips over; noise_is_small looks at all of them.
constexpr float BATCH_NOISE = 2.5f;

// Empty if both say the same: to the last bit or, on a GPU, within the noise up to where greedy texts may part, which
// they do where two tokens were equally likely within the noise. What is sampled parts anywhere.
enum class chosen { greedily, by_chance };
std::string difference(const inkling::generation_result & got, const inkling::generation_result & expected,
                       chosen how = chosen::greedily);
bool        same_logits(const float * got, const float * expected, size_t count);

// Says what was seen of the noise, where answers were not compared by bits, and whether it is as small as it should be:
// a state that is not the right one would make most answers differ.
bool noise_is_small();

// Runs it and checks that what was streamed is what came back.
inkling::generation_result run_on(inkling::slot & on, const inkling::generation_request & request,
                                  const inkling::abort_flag & abort = {});

} // namespace inkling_test

#define CHECK_SAME_ANSWER(got, expected)                                                           \
    do {                                                                                           \
        if (const std::string what = inkling_test::difference((got), (expected)); !what.empty()) { \
            inkling_test::fail(__FILE__, __LINE__, what);                                          \
        }                                                                                          \
    } while (false)

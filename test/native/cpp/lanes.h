#pragma once

#include "engine/generation_run.h"
#include "engine/lane.h"

#include <memory>
#include <string>
#include <vector>

namespace inkling_test {

struct lane_options {
    int32_t                               context_length    = 1024;
    int32_t                               batch_size        = 256;
    int32_t                               snapshots         = 6;
    std::shared_ptr<const inkling::model> model             = nullptr; // the starter model
    inkling::kv_type                      kv                = inkling::kv_type::f16;
    // 0 = one for each core. For a tiny model one thread is quicker, above all on a machine that has other work.
    int32_t                               threads           = 0;
    uint64_t                              checkpoint_budget = 64 << 20;
    uint64_t                              parked_budget     = 0;
};

// With a tiny model of this architecture, on one thread.
lane_options              tiny(const std::string & architecture);
// The starter model and each tiny model with an MTP head.
std::vector<lane_options> models_with_head();

// A lane as the engine would make it.
std::unique_ptr<inkling::lane> make_lane(const lane_options & options);
std::unique_ptr<inkling::lane> make_lane(int32_t context_length, int32_t batch_size, int32_t snapshots = 6);

// Costs under which drafting always pays, so that models on which it does not speculate all the time.
inkling::decode_costs eager_costs();

// A fill-in-the-middle prompt of the starter model. middle, where given, is what was typed since the anchor; it is
// healed.
inkling::generation_request fim_request(const std::string & prefix, const std::string & suffix, int32_t max_tokens,
                                        const std::string & middle = "");

// Runs it and checks that what was streamed is what came back.
inkling::generation_result run_on(inkling::lane & on, const inkling::generation_request & request,
                                  const inkling::abort_flag & abort = {});

} // namespace inkling_test

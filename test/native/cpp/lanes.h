#pragma once

#include "engine/generation_run.h"
#include "engine/lane.h"

#include <memory>
#include <string>

namespace inkling_test {

// A lane of the starter model (or of another one) as the engine would make it.
std::unique_ptr<inkling::lane> make_lane(int32_t context_length, int32_t batch_size, int32_t snapshots = 6,
                                         std::shared_ptr<const inkling::model> loaded = nullptr);

// A fill-in-the-middle prompt of the starter model. middle, where given, is what was typed since the anchor; it is
// healed.
inkling::generation_request fim_request(const std::string & prefix, const std::string & suffix, int32_t max_tokens,
                                        const std::string & middle = "");

// Runs it and checks that what was streamed is what came back.
inkling::generation_result run_on(inkling::lane & on, const inkling::generation_request & request,
                                  const inkling::abort_flag & abort = {});

} // namespace inkling_test

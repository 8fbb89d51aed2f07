#pragma once

#include "engine/base/engine_thread.h"
#include "engine/generate/generation.h"
#include "engine/llama/model.h"

#include <functional>
#include <memory>

namespace inkling {

// Whether the batch of an aborted generation ends at once, its work lost. `priority` is that of the generation; `next`
// is asked only if it matters.
//
// A short batch ends by itself, and one that the next job would evaluate again goes on: otherwise whoever types in a
// new file would lose a batch at each key, and a slow model would never get on. While nobody waits the next key may
// still need it. Only in chat nobody types along, and a person who stops an answer waits for its end.
bool cut_batch(double ran_ms, job_priority priority, const std::function<next_job()> & next);

// What a generation that waits has a use for: the beginning of its own prompt, on its own slot.
job_interest interest_of(std::shared_ptr<const model> loaded, std::shared_ptr<const generation_request> request);

} // namespace inkling

#pragma once

#include "engine/base/abort_flag.h"
#include "engine/base/engine_thread.h"
#include "engine/generate/generation.h"
#include "engine/llama/model.h"
#include "engine/slot/batch_pace.h"

#include <functional>
#include <memory>
#include <vector>

namespace inkling {

// A batch of a generation, while it is computed.
struct batch_in_work {
    const std::vector<token_id> & text;
    int32_t                       end; // of the batch in the text
    double                        ran_ms;
};

// How a generation makes way for others. Each may be empty.
struct preemption {
    // Whether more urgent jobs wait; asked at the end of each batch and round.
    std::function<bool()>                      wanted;
    // Runs those jobs and comes back. They may use the same slot.
    std::function<void()>                      let_pass;
    // The same within a batch that has run for `ran_ms` since it began or was paused; asked again and again. These jobs
    // use another slot.
    std::function<bool(double ran_ms)>         wanted_beside;
    std::function<void()>                      let_pass_beside;
    // Whether the batch that is being computed should end at once, its work lost. Asked again and again while the batch
    // is computed, whether the generation was aborted or not.
    std::function<bool(const batch_in_work &)> cut;
};

// How a generation of this request makes way on that thread. A batch makes way once it has run for `limit_ms`. All
// references must outlive the result.
preemption preemption_on(engine_thread & thread, const generation_request & request, const abort_flag & abort,
                         double limit_ms = batch_pace::BATCH_LIMIT_MS);

// Whether a long batch is cut. `next` says what the next job could do with the batch's work. The next job is a more
// urgent one, unless the generation was aborted.
//
// A batch that the next job would evaluate again is not cut. Otherwise a user who types in a new file would lose a
// batch at each key, and a slow model would never finish one. While no job waits, the next key may still need the
// batch. A stopped chat is cut at once: no key continues it, and the user waits for its end.
bool cuts_batch(bool aborted, job_priority priority, next_job next);

// What the queue knows of a generation: it needs its slot, and can reuse the beginning of its own prompt there.
job_needs needs_of(std::shared_ptr<const model> loaded, std::shared_ptr<const generation_request> request);

} // namespace inkling

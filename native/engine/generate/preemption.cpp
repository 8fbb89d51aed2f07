#include "engine/generate/preemption.h"

#include "engine/generate/prompt.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace inkling {

namespace {

job_priority above(job_priority priority) {
    return static_cast<job_priority>(static_cast<int>(priority) + 1);
}

} // namespace

preemption preemption_on(engine_thread & thread, const generation_request & request, const abort_flag & abort,
                         double limit_ms) {
    preemption result;
    result.wanted = [&] {
        return thread.waits_above(request.priority);
    };
    result.let_pass = [&] {
        thread.run_above(request.priority);
    };
    if (request.priority < job_priority::completion) {
        result.wanted_beside = [&, limit_ms](double ran_ms) {
            return ran_ms >= limit_ms && thread.waits_beside(request.slot);
        };
        result.let_pass_beside = [&] {
            thread.run_beside(request.slot);
        };
    }
    result.cut = [&, limit_ms](const batch_in_work & batch) {
        if (batch.ran_ms < limit_ms) {
            return false;
        }
        const bool         aborted = abort.is_set();
        const job_priority lowest  = aborted ? job_priority::background : above(request.priority);
        return cuts_batch(aborted, request.priority, thread.next_after({request.slot, batch.text, batch.end}, lowest));
    };
    return result;
}

bool cuts_batch(bool aborted, job_priority priority, next_job next) {
    switch (next) {
        case next_job::gains: return false;
        case next_job::loses: return true;
        case next_job::none: return aborted && priority == job_priority::chat;
    }
    return false;
}

job_needs needs_of(std::shared_ptr<const model> loaded, std::shared_ptr<const generation_request> request) {
    const slot_kind slot   = request->slot;
    // Made when it is first asked for: most jobs never wait for a batch that long.
    auto            wanted = std::make_shared<std::optional<std::vector<token_id>>>();
    auto gains = [loaded = std::move(loaded), request = std::move(request), wanted](const evaluated_text & work) {
        if (work.slot != request->slot) {
            return false;
        }
        if (!*wanted) {
            try {
                *wanted = tokenize_prompt(*loaded, *request).tokens;
            } catch (const std::exception &) {
                // Its own turn will say what is wrong with it.
                *wanted = std::vector<token_id>();
            }
        }
        const auto length = static_cast<size_t>(work.length);
        return length <= (*wanted)->size() &&
               std::equal(work.tokens.begin(), work.tokens.begin() + work.length, (*wanted)->begin());
    };
    return {slot, std::move(gains)};
}

} // namespace inkling

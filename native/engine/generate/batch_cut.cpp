#include "engine/generate/batch_cut.h"

#include "engine/generate/batch_pace.h"
#include "engine/generate/prompt.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace inkling {

bool cut_batch(double ran_ms, job_priority priority, const std::function<next_job()> & next) {
    if (ran_ms < batch_pace::BATCH_LIMIT_MS) {
        return false;
    }
    switch (next()) {
        case next_job::gains: return false;
        case next_job::loses: return true;
        case next_job::none: return priority == job_priority::chat;
    }
    return false;
}

job_interest interest_of(std::shared_ptr<const model> loaded, std::shared_ptr<const generation_request> request) {
    // Made when it is first asked for: most jobs never wait for a batch that long.
    auto wanted = std::make_shared<std::optional<std::vector<token_id>>>();
    return [loaded = std::move(loaded), request = std::move(request), wanted](const evaluated_text & work) {
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
}

} // namespace inkling

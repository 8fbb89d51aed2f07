#include "lanes.h"

#include "check.h"

using namespace inkling;

namespace inkling_test {

std::unique_ptr<lane> make_lane(int32_t context_length, int32_t batch_size, int32_t snapshots,
                                std::shared_ptr<const model> loaded) {
    lane_params params;
    params.context.context_length  = context_length;
    params.context.batch_size      = batch_size;
    params.context.snapshots       = snapshots;
    params.checkpoint_budget_bytes = 64 << 20;
    return std::make_unique<lane>(loaded != nullptr ? loaded : starter_model(), params);
}

generation_request fim_request(const std::string & prefix, const std::string & suffix, int32_t max_tokens,
                               const std::string & middle) {
    const auto         fim = *starter_model()->facts().fim;
    generation_request request;
    request.prompt = {fim.file_sep, std::string("src/sum.ts\n"), fim.prefix, prefix, fim.suffix, suffix, fim.middle};
    request.marks  = {4, 6};
    if (!middle.empty()) {
        request.prompt.emplace_back(middle);
        request.heal = true;
    }
    request.max_tokens = max_tokens;
    return request;
}

generation_result run_on(lane & on, const generation_request & request, const abort_flag & abort) {
    std::string                                    streamed;
    const std::function<void(const std::string &)> on_text = [&](const std::string & text) {
        streamed += text;
    };
    auto result = generation_run(on, request, abort, on_text).execute();
    CHECK_EQUAL(streamed, result.text);
    CHECK_EQUAL(result.tokens.size(), result.log_probabilities.size());
    return result;
}

} // namespace inkling_test

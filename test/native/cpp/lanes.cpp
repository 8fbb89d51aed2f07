#include "lanes.h"

#include "check.h"
#include "tiny_models.h"

using namespace inkling;

namespace inkling_test {

lane_options tiny(const std::string & architecture) {
    lane_options options;
    options.model   = tiny_model(architecture);
    options.threads = 1;
    return options;
}

std::vector<lane_options> models_with_head() {
    std::vector<lane_options> models(1);
    for (const std::string & name : tiny_architectures()) {
        if (name.ends_with("+mtp")) {
            models.push_back(tiny(name));
        }
    }
    return models;
}

std::unique_ptr<lane> make_lane(const lane_options & options) {
    lane_params params;
    params.context.context_length  = options.context_length;
    params.context.batch_size      = options.batch_size;
    params.context.snapshots       = options.snapshots;
    params.context.kv              = options.kv;
    params.context.threads         = lane_threads(options.threads);
    params.checkpoint_budget_bytes = options.checkpoint_budget;
    params.parked                  = std::make_shared<parked_store>(options.parked_budget);
    return std::make_unique<lane>(options.model != nullptr ? options.model : starter_model(), params);
}

std::unique_ptr<lane> make_lane(int32_t context_length, int32_t batch_size, int32_t snapshots) {
    lane_options options;
    options.context_length = context_length;
    options.batch_size     = batch_size;
    options.snapshots      = snapshots;
    return make_lane(options);
}

decode_costs eager_costs() {
    decode_costs costs;
    for (auto & value : costs.verify) {
        value = 100.0;
    }
    costs.draft_step = 0.1;
    return costs;
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

// When the decodes of an MTP head fail, the generation loses only its drafts.
#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include "gguf.h"
#include "llama.h"

#include <filesystem>
#include <fstream>
#include <memory>

using namespace inkling;
using inkling_test::eager_costs;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::models_with_head;
using inkling_test::run_on;
using inkling_test::slot_options;

namespace {

const std::string PREFIX = "export const numbers = [1, 2, 3, 4, 5, 6, 7, ";
const std::string SUFFIX = "];\n";

// While this is set, the backend aborts every decode of a sabotaged head, and llama_decode reports a failure.
bool failing = false;

void sabotage(const slot & on) {
    llama_set_abort_callback(
        on.mtp()->handle(), [](void *) { return failing; }, nullptr);
}

generation_request drafting_request(int32_t max_tokens) {
    auto request          = fim_request(PREFIX, SUFFIX, max_tokens);
    request.drafts.lookup = false;
    return request;
}

generation_result plain_answer(const slot_options & options, generation_request request) {
    request.speculation = speculation_mode::off;
    return run_on(*make_slot(options), request);
}

// The head fails from piece number `pieces` of the text on.
generation_result run_failing_at(slot & on, const generation_request & request, int pieces) {
    on.forget();
    on.statistics().set_costs(eager_costs());
    failing                                                = pieces == 0;
    const std::function<void(const std::string &)> on_text = [&](const std::string &) {
        failing = --pieces <= 0;
    };
    auto result = generation_run(on, request, {}, on_text).execute();
    failing     = false;
    return result;
}

// A tiny model whose file says so many values for a row that leaves the last layer.
std::shared_ptr<const model> model_with_output_length(uint32_t length) {
    const auto original = inkling_test::tiny_model_file("qwen35moe+mtp", "q4_K");
    const auto path     = std::filesystem::temp_directory_path() / ("output-" + std::to_string(length) + ".gguf");
    const std::unique_ptr<gguf_context, decltype(&gguf_free)> header(
        gguf_init_from_file(original.string().c_str(), {/*.no_alloc =*/true, /*.ctx =*/nullptr}), gguf_free);
    const auto data = static_cast<std::streamoff>(gguf_get_data_offset(header.get()));
    gguf_set_val_u32(header.get(), "qwen35moe.embedding_length_out", length);
    CHECK(gguf_write_to_file(header.get(), path.string().c_str(), /*only_meta =*/true));
    std::ifstream from(original, std::ios::binary);
    std::ofstream to(path, std::ios::binary | std::ios::app);
    from.seekg(data);
    to << from.rdbuf();
    to.close();
    model_load_params params;
    params.path = path.string();
    auto loaded = model::load(params);
    std::filesystem::remove(path);
    return loaded;
}

} // namespace

TEST("a head is left alone where the file gives its rows another length than the trunk's") {
    const auto request = drafting_request(12);
    const auto length  = static_cast<uint32_t>(inkling_test::tiny_model("qwen35moe+mtp")->facts().embedding_length);
    for (const uint32_t wrong : {length / 2, 2 * length}) {
        slot_options options = inkling_test::tiny("qwen35moe+mtp");
        options.model        = model_with_output_length(wrong);
        const auto on        = make_slot(options);
        CHECK(on->mtp() == nullptr);
        on->statistics().set_costs(eager_costs());
        CHECK_SAME_ANSWER(run_on(*on, request), plain_answer(inkling_test::tiny("qwen35moe+mtp"), request));
    }
}

TEST("a generation continues without a failed head, gives the reason, and answers the same") {
    for (const slot_options & options : models_with_head()) {
        const auto request  = drafting_request(24);
        const auto expected = plain_answer(options, request);
        for (const int pieces : {0, 1, 2}) {
            const auto on = make_slot(options);
            sabotage(*on);
            const auto result = run_failing_at(*on, request, pieces);
            CHECK_SAME_ANSWER(result, expected);
            CHECK(result.metrics.draft_failure.starts_with("The MTP head could not evaluate its draft: "));
            CHECK_EQUAL(result.metrics.draft_failure.find('\n'), std::string::npos);

            // The head starts again, so the next generation drafts again.
            const auto next = run_failing_at(*on, request, 1000);
            CHECK_SAME_ANSWER(next, expected);
            CHECK_EQUAL(next.metrics.draft_failure, std::string());
            CHECK(next.metrics.drafted_tokens > 0);
        }
    }
}

TEST("the slot stops using a head that keeps failing") {
    const auto on      = make_slot(slot_options{});
    const auto request = drafting_request(12);
    sabotage(*on);
    for (int i = 0; i < 3; ++i) {
        CHECK(!run_failing_at(*on, request, 0).metrics.draft_failure.empty());
    }
    const auto result = run_failing_at(*on, request, 0);
    CHECK_EQUAL(result.metrics.draft_failure, std::string());
    CHECK_EQUAL(result.metrics.drafted_tokens, 0);
    CHECK_SAME_ANSWER(result, plain_answer({}, request));
}

TEST("when unverified drafts fail, plain decoding continues") {
    const auto on       = make_slot(slot_options{});
    auto       request  = drafting_request(12);
    request.speculation = speculation_mode::optimistic;
    sabotage(*on);
    const auto result = run_failing_at(*on, request, 0);
    CHECK(!result.metrics.draft_failure.empty());
    CHECK_SAME_ANSWER(result, plain_answer({}, request));
}

TEST("the slot does not use a head that fails during calibration, and keeps the other costs") {
    const auto on      = make_slot(slot_options{});
    const auto request = drafting_request(12);
    sabotage(*on);
    failing = true;
    on->calibrate({});
    failing = false;
    CHECK(on->statistics().costs().measured());
    CHECK_EQUAL(on->statistics().costs().draft_step, 0.0);
    const auto result = run_on(*on, request);
    CHECK_EQUAL(result.metrics.drafted_tokens, 0);
    CHECK_SAME_ANSWER(result, plain_answer({}, request));
}

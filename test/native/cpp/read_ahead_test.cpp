// The MTP head also reads a prompt that is evaluated ahead. So the first draft of the answer has nothing to catch up
// on.
#include "check.h"
#include "slots.h"

#include "llama.h"

using namespace inkling;
using inkling_test::eager_costs;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::models_with_head;
using inkling_test::run_on;
using inkling_test::slot_options;

namespace {

// Longer than the head's queue, than one read of the head, and than a batch.
std::string long_prefix() {
    std::string text;
    for (int line = 0; line < 60; ++line) {
        text += "const value" + std::to_string(line) + " = compute(" + std::to_string(line * 7) + ");\n";
    }
    return text + "const value60 = ";
}

generation_request drafting_request(int32_t max_tokens) {
    auto request          = fim_request(long_prefix(), ";\nconst value61 = compute(427);\n", max_tokens);
    request.drafts.lookup = false;
    return request;
}

} // namespace

TEST("after evaluating ahead, the head has nothing to catch up on, and the answer stays the same") {
    for (const slot_options & options : models_with_head()) {
        auto plain        = drafting_request(24);
        plain.speculation = speculation_mode::off;
        const auto fresh  = make_slot(options);
        const auto said   = run_on(*fresh, plain);

        const auto on = make_slot(options);
        // Nothing is measured yet: a user opens the first file before the costs are known.
        CHECK_EQUAL(run_on(*on, drafting_request(0)).metrics.draft_failure, std::string());
        CHECK(on->mtp()->ready(on->seq().length()));
        CHECK_EQUAL(on->mtp()->pending(), 0);

        on->statistics().set_costs(eager_costs());
        const auto result = run_on(*on, drafting_request(24));
        CHECK(result.metrics.drafted_tokens > 0);
        CHECK_SAME_ANSWER(result, said);
    }
}

TEST("the head reads nothing ahead where drafts cannot pay") {
    const auto   on    = make_slot(models_with_head().back());
    decode_costs costs = eager_costs();
    costs.draft_step   = 10.0 * costs.verify[0];
    on->statistics().set_costs(costs);
    run_on(*on, drafting_request(0));
    CHECK(!on->mtp()->ready(on->seq().length()));
}

TEST("when the head fails to read ahead, the generation loses only its drafts") {
    const slot_options options = models_with_head().back();
    const auto         on      = make_slot(options);
    llama_set_abort_callback(
        on->mtp()->handle(), [](void *) { return true; }, nullptr);
    const auto ahead = run_on(*on, drafting_request(0));
    CHECK(ahead.metrics.draft_failure.starts_with("The MTP head could not evaluate its draft: "));
    CHECK_EQUAL(on->statistics().mtp_failures(), 1);

    const auto result = run_on(*on, drafting_request(8));
    auto       plain  = drafting_request(8);
    plain.speculation = speculation_mode::off;
    CHECK_SAME_ANSWER(result, run_on(*make_slot(options), plain));
    CHECK(result.metrics.evaluated_tokens <= result.metrics.generated_tokens);
}

// Each machine measures which of its batches compute the same bits as single tokens.
#include "check.h"
#include "slots.h"
#include "tiny_models.h"

using namespace inkling;
using inkling_test::eager_costs;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::seq_of;
using inkling_test::slot_options;
using inkling_test::tiny;
using inkling_test::tiny_architectures;

namespace {

const std::string PREFIX = "export function total(values: number[]): number {\n  let sum = 0;\n  for (const value of ";
const std::string SUFFIX = ";\n  }\n  return sum;\n}\n";

std::vector<slot_options> all_models() {
    std::vector<slot_options> models(1);
    for (const std::string & name : tiny_architectures()) {
        models.push_back(tiny(name));
    }
    for (slot_options & options : models) {
        options.swap_budget = 64 << 20;
    }
    return models;
}

generation_request plain_request(const std::string & typed) {
    auto request        = fim_request(PREFIX, SUFFIX, 8, typed);
    request.speculation = speculation_mode::off;
    return request;
}

// The text shares nothing with the other one, so that the slot swaps the other one out.
generation_request other_request() {
    std::string text;
    for (int i = 0; i < 40; ++i) {
        text += "def f" + std::to_string(i * 17) + "(self):\n    pass\n";
    }
    auto request        = fim_request(text, "\n", 4);
    request.speculation = speculation_mode::off;
    return request;
}

} // namespace

TEST("the engine assumes nothing beyond x86-64, and measures what holds here") {
    for (const slot_options & options : all_models()) {
        const auto on = make_slot(options);
        if (!inkling_test::bit_exact()) {
            CHECK_EQUAL(on->ctx().exact_rows(), 0);
            on->calibrate({});
            CHECK(on->statistics().costs().measured());
            CHECK_EQUAL(on->ctx().exact_rows(), 0);
            continue;
        }
#if defined(__x86_64__)
        CHECK_EQUAL(on->ctx().exact_rows(), MOST_EXACT_ROWS);
#else
        CHECK_EQUAL(on->ctx().exact_rows(), 1);
#endif
        seq_of(*on).set_exact_rows(1);
        on->calibrate({});
        CHECK(on->statistics().costs().measured());
#if defined(__x86_64__)
        CHECK_EQUAL(on->ctx().exact_rows(), MOST_EXACT_ROWS);
#else
        CHECK(on->ctx().exact_rows() >= 1);
#endif
        CHECK_EQUAL(on->seq().length(), 0);
        CHECK_EQUAL(on->seq().savepoint_bytes(), 0u);
    }
}

TEST("nothing is drafted before the measurement, and generations after it continue from the same state") {
    if (!inkling_test::bit_exact("exact batches that are not measured yet")) {
        return;
    }
    for (const slot_options & options : all_models()) {
        const auto on    = make_slot(options);
        const auto fresh = make_slot(options);
        seq_of(*on).set_exact_rows(1);
        auto first        = plain_request("va");
        first.speculation = speculation_mode::automatic;
        on->statistics().set_costs(eager_costs());
        const auto before = run_on(*on, first);
        CHECK_EQUAL(before.metrics.drafted_tokens, 0);
        CHECK_EQUAL(before.metrics.exact_rows, 1);
        const auto expected = run_on(*fresh, plain_request("va"));
        CHECK_SAME_ANSWER(before, expected);

        on->statistics().set_costs(decode_costs());
        on->calibrate({});
        const auto typed = plain_request("value");
        const auto after = run_on(*on, typed);
        fresh->forget();
        const auto alone = run_on(*fresh, typed);
        CHECK_SAME_ANSWER(after, alone);
        CHECK(after.metrics.evaluated_tokens < alone.metrics.evaluated_tokens);
    }
}

TEST("the slot drops an assumption that does not hold, with every state that rests on it") {
    if (!inkling_test::bit_exact("claims of exact batches")) {
        return;
    }
    for (const slot_options & options : all_models()) {
        const auto on    = make_slot(options);
        const auto fresh = make_slot(options);
        seq_of(*on).set_exact_rows(MOST_EXACT_ROWS + 6);
        run_on(*on, other_request());
        CHECK_EQUAL(run_on(*on, plain_request("va")).metrics.swapped_out, on->ctx().can_copy());
        on->calibrate({});
        CHECK(on->statistics().costs().measured());
        CHECK(on->ctx().exact_rows() <= MOST_EXACT_ROWS);
        CHECK_EQUAL(on->seq().length(), 0);
        CHECK(!on->last().known());
        CHECK(!run_on(*on, other_request()).metrics.swapped_in);
        on->forget();
        const auto result   = run_on(*on, plain_request("va"));
        const auto expected = run_on(*fresh, plain_request("va"));
        CHECK_SAME_ANSWER(result, expected);
    }
}

TEST("a slot takes over what another slot has measured") {
    if (!inkling_test::bit_exact("exact batches that another slot has measured")) {
        return;
    }
    const slot_options options = all_models().front();
    const auto         on      = make_slot(options);
    const auto         other   = make_slot(options);
    on->learn_from(*other);
    CHECK(!on->statistics().costs().measured());
    other->calibrate({});
    seq_of(*on).set_exact_rows(1);
    on->learn_from(*other);
    CHECK(on->statistics().costs().measured());
    CHECK_EQUAL(on->ctx().exact_rows(), other->ctx().exact_rows());

    run_on(*on, plain_request("va"));
    seq_of(*other).set_exact_rows(1);
    on->learn_from(*other);
    CHECK_EQUAL(on->ctx().exact_rows(), 1);
    CHECK_EQUAL(on->seq().length(), 0);
}

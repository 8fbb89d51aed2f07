#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

using namespace inkling;
using inkling_test::eager_costs;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::scaled;
using inkling_test::seq_of;
using inkling_test::slot_options;
using inkling_test::starter_model;
using inkling_test::tiny;
using inkling_test::tiny_architectures;

namespace {

// Real code: an old copy of this file.
std::string real_code() {
    return inkling_test::fixture_text("native/real-code.txt");
}

struct place {
    std::string prefix;
    std::string suffix;
};

// Cursor positions spread over real code, with `before` bytes before each.
std::vector<place> places(int count, size_t before = 240) {
    const std::string  text = real_code();
    std::vector<place> result;
    for (int i = 1; i <= count; ++i) {
        const size_t at    = text.size() * static_cast<size_t>(i) / static_cast<size_t>(count + 1);
        const size_t begin = at > before ? at - before : 0;
        result.push_back({text.substr(begin, at - begin), text.substr(at, before / 3)});
    }
    return result;
}

// Enough places for a rejected draft, also where a sanitizer reduces the other loops.
std::vector<place> few_places() {
    return places(std::max(scaled(40), 20), 60);
}

// Compares the output at each place with drafts and without. The drafts come from every source, and the old suggestion
// becomes wrong half-way.
void check_same_output(const std::string & what, const slot_options & options, const std::vector<place> & at_places,
                       int32_t max_tokens) {
    const auto plain       = make_slot(options);
    const auto speculative = make_slot(options);
    int32_t    drafted     = 0;
    int32_t    accepted    = 0;
    int32_t    offered     = 0;
    for (const place & at : at_places) {
        auto request        = fim_request(at.prefix, at.suffix, max_tokens);
        request.speculation = speculation_mode::off;
        const auto expected = run_on(*plain, request);
        speculative->statistics().set_costs(eager_costs());
        request.speculation = speculation_mode::automatic;
        if (++offered % 2 == 0) {
            request.draft = expected.text.substr(0, expected.text.size() / 2) + "?";
        }
        const auto result = run_on(*speculative, request);
        CHECK_SAME_ANSWER(result, expected);
        CHECK_EQUAL(expected.metrics.drafted_tokens, 0);
        drafted += result.metrics.drafted_tokens;
        accepted += result.metrics.accepted_draft_tokens;
    }
    std::cout << "     " << what << ": drafted " << drafted << ", accepted " << accepted << "\n";
    CHECK(accepted > drafted / 10);
    CHECK(accepted < drafted);
}

} // namespace

TEST("speculative output equals plain output, token for token, and the drafts are real") {
    check_same_output("starter model", {}, places(scaled(100)), 24);
}

TEST("speculative output equals plain output on each architecture, with snapshots and without") {
    for (const std::string & name : tiny_architectures()) {
        slot_options options = tiny(name);
        check_same_output(name, options, places(scaled(200), 60), 10);
        // Trap 8: the backend keeps no snapshots of some architectures. Every architecture works without them.
        const bool kept = name.starts_with("qwen35moe") || name.starts_with("lfm2");
        CHECK_EQUAL(make_slot(options)->ctx().snapshot_limit() > 0, kept);
        if (kept) {
            options.snapshots = 0;
            check_same_output(name + " without snapshots", options, few_places(), 10);
        }
    }
}

TEST("drafts without snapshots need no room for checkpoints and give the output of plain decoding") {
    for (const std::string name : {"qwen3next+mtp", "mamba2"}) {
        slot_options options      = tiny(name);
        options.checkpoint_budget = 0;
        check_same_output(name + " without checkpoints", options, few_places(), 16);
    }
}

TEST("at a temperature, the same seed gives the same tokens with and without drafts") {
    const auto plain       = make_slot(1024, 256, 6);
    const auto speculative = make_slot(1024, 256, 6);
    for (const place & at : places(scaled(20))) {
        auto request                 = fim_request(at.prefix, at.suffix, 24);
        request.sampling.temperature = 0.8f;
        request.sampling.top_p       = 0.95f;
        request.sampling.seed        = 7;
        request.speculation          = speculation_mode::off;
        const auto expected          = run_on(*plain, request);
        speculative->statistics().set_costs(eager_costs());
        request.speculation = speculation_mode::automatic;
        CHECK_EQUAL(inkling_test::difference(run_on(*speculative, request), expected, inkling_test::chosen::by_chance),
                    "");
    }
}

TEST("the slot verifies an old suggestion in a batch, right or wrong") {
    const auto on    = make_slot(1024, 256, 6);
    const auto fresh = make_slot(1024, 256, 6);
    auto       request =
        fim_request("export function clamp(value: number, low: number, high: number) {\n  return ", "\n}\n", 24);
    request.speculation = speculation_mode::off;
    const auto expected = run_on(*fresh, request);
    request.speculation = speculation_mode::automatic;
    for (const std::string & draft :
         {expected.text, std::string("something else entirely"), expected.text.substr(0, 4) + "xyz"}) {
        on->forget();
        decode_costs costs = eager_costs();
        costs.draft_step   = 1e9;
        on->statistics().set_costs(costs);
        request.draft     = draft;
        const auto result = run_on(*on, request);
        CHECK_SAME_ANSWER(result, expected);
        if (draft == expected.text) {
            CHECK(result.metrics.accepted_draft_tokens > 0);
            CHECK(result.metrics.rounds < expected.metrics.rounds);
        }
    }
}

TEST("the slot discovers that a source has become good while it uses another one, or none") {
    constexpr int32_t sure = acceptance_record::BUCKETS - 1;
    for (const bool mtp : {true, false}) {
        // Short drafts, so that rounds begin in the middle of what repeats.
        const auto on = make_slot(1024, 256, 2);
        on->statistics().set_costs(eager_costs());
        for (int i = 0; i < 200; ++i) {
            for (int32_t bucket = 0; bucket <= sure; ++bucket) {
                on->statistics().observe_acceptance(draft_source::lookup, 1, 0, &bucket);
            }
        }
        std::string repeated;
        for (int i = 0; i < 12; ++i) {
            repeated += "    case " + std::to_string(i) + ": return describe(value, options);\n";
        }
        const double before  = on->statistics().acceptance().at_bucket(draft_source::lookup, 0, sure);
        auto         request = fim_request(repeated + "    case 12: return desc", "\n}\n", 24);
        request.speculation  = speculation_mode::automatic;
        request.drafts.mtp   = mtp;
        run_on(*on, request);
        CHECK(on->statistics().acceptance().at_bucket(draft_source::lookup, 0, sure) > before);
    }
}

TEST("optimistic acceptance drafts without verifying, and its output is never replayed") {
    const auto on       = make_slot(1024, 256, 6);
    auto       request  = fim_request("const numbers = [1, 2, 3, ", "];\n", 24);
    request.speculation = speculation_mode::optimistic;
    const auto result   = run_on(*on, request);
    CHECK(result.metrics.drafted_tokens > 0);
    CHECK_EQUAL(result.metrics.drafted_tokens, result.metrics.accepted_draft_tokens);
    CHECK(!on->last().known());
}

TEST("optimistic acceptance tells how probable each draft was, as evaluating it alone does") {
    auto request        = fim_request("const numbers = [1, 2, 3, ", "];\n", 24);
    request.speculation = speculation_mode::optimistic;
    const auto on       = make_slot(1024, 256, 6);
    const auto result   = run_on(*on, request);
    CHECK(result.metrics.accepted_draft_tokens * 2 > static_cast<int32_t>(result.tokens.size()));

    const auto start  = result.metrics.prompt_tokens;
    const auto held   = on->seq().tokens();
    const auto single = make_slot(1024, 256);
    const auto count  = starter_model()->facts().vocabulary_size;
    CHECK(std::equal(held.begin() + start, held.end(), result.tokens.begin()));
    seq_of(*single).append(held.data(), start - 1, logit_rows::none);
    for (auto at = static_cast<size_t>(start); at < held.size(); ++at) {
        seq_of(*single).append(&held[at - 1], 1, logit_rows::last);
        const float * logits   = single->ctx().logits(-1);
        const float   expected = log_probability(logits, count, largest_logit(logits, count), held[at]);
        const size_t  i        = at - static_cast<size_t>(start);
        CHECK(std::abs(result.log_probabilities[i] - expected) < 0.02f);
        CHECK(std::abs(result.given_typed_log_probabilities[i] - expected) < 0.02f);
    }
}

TEST("a batch of up to exact_rows tokens computes the same bits as single tokens, at any depth") {
    const std::string text   = real_code();
    const auto        tokens = starter_model()->tokenize(text, false);
    const auto        single = make_slot(1024, 256);
    const auto        batch  = make_slot(1024, 256);
    const int32_t     rows   = inkling_test::bit_exact() ? single->ctx().exact_rows() : MAX_DRAFT + 1;
    CHECK(rows > 1);
    const auto vocabulary = static_cast<size_t>(starter_model()->facts().vocabulary_size);
    // The first crosses a block of attention, so short runs keep it.
    for (const int32_t depth : scaled(std::vector<int32_t>{511, 0, 100, 512, 700})) {
        for (const auto & on : {single.get(), batch.get()}) {
            on->forget();
            for (int32_t at = 0; at < depth; at += 256) {
                seq_of(*on).append(tokens.data() + at, std::min(256, depth - at), logit_rows::none);
            }
        }
        seq_of(*batch).append(tokens.data() + depth, rows, logit_rows::all);
        for (int32_t i = 0; i < rows; ++i) {
            seq_of(*single).append(tokens.data() + depth + i, 1, logit_rows::last);
            const float * one  = single->ctx().logits(-1);
            const float * many = batch->ctx().logits(i);
            CHECK(inkling_test::same_logits(many, one, vocabulary));
        }
    }
}

TEST("calibration measures the costs and leaves the sequence unchanged") {
    const auto on       = make_slot(1024, 256, 6);
    const auto request  = fim_request("let total = 0;\nfor (const item of items) {\n  total += ", ";\n}\n", 16);
    const auto expected = run_on(*on, request);
    const auto held     = on->seq().tokens();
    on->calibrate({});
    CHECK(on->statistics().costs().measured());
    CHECK(on->statistics().costs().draft_step > 0.0 && on->statistics().costs().verify[MAX_DRAFT] > 0.0);
    CHECK(on->seq().tokens() == held);
    const auto again = run_on(*on, request);
    CHECK(again.tokens == expected.tokens);
    CHECK_EQUAL(again.metrics.evaluated_tokens, 0);
}

TEST("a calibration that is cut short repeatedly still finishes") {
    const auto on    = make_slot(1024, 256, 6);
    int32_t    calls = 0;
    for (; !on->statistics().costs().measured() && calls < 200; ++calls) {
        abort_flag  cut_short;
        // Each call gets more time, since a comparison of one batch to the bit is one step, longer on some machines.
        const auto  after = std::chrono::duration<double, std::milli>(4.0 * std::pow(1.05, calls));
        std::thread clock([&] {
            std::this_thread::sleep_for(after);
            cut_short.set();
        });
        on->calibrate(cut_short);
        clock.join();
    }
    CHECK(on->statistics().costs().measured());
    // Otherwise nothing cut the calibration short, and this test shows nothing.
    CHECK(calls > 1);
}

TEST("calibration is due again after some generations, and not before") {
    const auto on = make_slot(1024, 256, 6);
    CHECK(on->calibration_due());
    on->calibrate({});
    CHECK(!on->calibration_due());
    const auto request = fim_request("let total = 0;\nfor (const item of items) {\n  total += ", ";\n}\n", 8);
    for (int generation = 0; generation < 4; ++generation) {
        CHECK(!on->calibration_due());
        run_on(*on, request);
    }
    CHECK(on->calibration_due());
    const auto held = on->seq().tokens();
    on->calibrate({});
    CHECK(!on->calibration_due());
    CHECK(on->statistics().costs().measured());
    CHECK(on->seq().tokens() == held);
}

TEST("calibration keeps any sequence, without room for checkpoints and when cut short") {
    for (const std::string & name : tiny_architectures()) {
        slot_options options      = tiny(name);
        options.checkpoint_budget = 0;
        const auto on             = make_slot(options);
        const auto fresh          = make_slot(options);
        auto       request  = fim_request("let total = 0;\nfor (const item of items) {\n  total += ", ";\n}\n", 8);
        request.speculation = speculation_mode::off;
        run_on(*on, request);
        const auto held = on->seq().tokens();
        abort_flag cut_short;
        cut_short.set();
        on->calibrate(cut_short);
        CHECK(on->seq().tokens() == held);
        CHECK(!on->statistics().costs().measured());
        on->calibrate({});
        CHECK(on->seq().tokens() == held);
        CHECK(on->statistics().costs().measured());
        CHECK_EQUAL(on->seq().savepoint_bytes(), 0u);
        // The next logits equal those without a calibration.
        slot_parts::last(*on).clear();
        const token_id next = 100;
        seq_of(*on).append(&next, 1, logit_rows::last);
        fresh->statistics().set_costs(on->statistics().costs());
        run_on(*fresh, request);
        seq_of(*fresh).append(&next, 1, logit_rows::last);
        const auto vocabulary = static_cast<size_t>(on->loaded_model().facts().vocabulary_size);
        CHECK(inkling_test::same_logits(on->ctx().logits(-1), fresh->ctx().logits(-1), vocabulary));
    }
}

TEST("a return to a savepoint does nothing where nothing was evaluated since, and the last logits still hold") {
    for (const std::string name : {"qwen35moe+mtp", "lfm2"}) {
        const auto                  on = make_slot(tiny(name));
        const std::vector<token_id> held{100};
        seq_of(*on).append(held.data(), 1, logit_rows::last);
        seq_of(*on).set_savepoint();
        seq_of(*on).return_to_savepoint();
        CHECK(on->seq().answers(held, {}));
        const token_id next = 101;
        seq_of(*on).append(&next, 1, logit_rows::last);
        seq_of(*on).return_to_savepoint();
        CHECK(on->seq().tokens() == held);
        CHECK(!on->seq().answers(held, {}));
    }
}

TEST("no round drafts a token that the answer has no room for") {
    const auto on    = make_slot({});
    auto       whole = fim_request("export const numbers = [1, 2, 3, 4, 5, 6, 7, ", "];\n", 12);
    const auto said  = run_on(*on, whole);
    on->statistics().set_costs(eager_costs());
    for (int32_t tokens = 1; tokens <= 6; ++tokens) {
        on->forget();
        auto request       = whole;
        request.max_tokens = tokens;
        request.draft      = said.text;
        const auto result  = run_on(*on, request);
        // The prompt's last row gives the first token, and each round gives one more than its accepted drafts.
        CHECK(result.metrics.accepted_draft_tokens + result.metrics.rounds <= tokens - 1);
        CHECK(result.metrics.drafted_tokens <= std::max(0, tokens - 2));
    }
}

// A caller may cancel a generation at any chunk of its prefill and any round of its decode. The slot keeps what it
// evaluated, and the next answer equals that of a fresh engine. This holds on each architecture.
#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include <algorithm>

using namespace inkling;
using inkling_test::eager_costs;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::slot_options;
using inkling_test::tiny_architectures;

namespace {

const std::string PREFIX =
    "import { readFileSync } from 'node:fs';\n\nexport function countLines(path: string): number {\n"
    "  const text = readFileSync(path, 'utf8');\n  let lines = 0;\n  for (const c of text) {\n";
const std::string SUFFIX = "\n  }\n  return lines;\n}\n";

// Small chunks give many boundaries.
slot_options tiny_chunks(const std::string & architecture) {
    slot_options options = inkling_test::tiny(architecture);
    options.batch_size   = 16;
    return options;
}

bool begins_with(const std::vector<token_id> & text, const std::vector<token_id> & start) {
    return start.size() <= text.size() && std::equal(start.begin(), start.end(), text.begin());
}

// Cancels at boundary number `boundary`. At a boundary, between two chunks or rounds, the generation asks whether more
// urgent work waits.
generation_result cut_at(slot & on, const generation_request & request, int boundary) {
    abort_flag abort;
    int        passed = 0;
    preemption watch;
    watch.wanted = [&] {
        if (++passed == boundary) {
            abort.set();
        }
        return false;
    };
    const std::function<void(const std::string &)> ignore = [](const std::string &) {
    };
    return generation_run(on, request, abort, ignore, watch).execute();
}

// Cancels at each boundary in turn, then runs the same request to its end. Returns the number of boundaries.
int check_each_boundary(slot & on, const generation_request & request, const generation_result & expected) {
    const decode_costs costs = on.statistics().costs();
    for (int boundary = 1;; ++boundary) {
        on.forget();
        on.statistics() = draft_statistics(costs);
        const auto cut  = cut_at(on, request, boundary);
        if (cut.reason != stop_reason::aborted) {
            CHECK_SAME_ANSWER(cut, expected);
            return boundary - 1;
        }
        const int32_t held   = on.seq().length();
        const int32_t prompt = cut.metrics.prompt_tokens;
        CHECK(begins_with(expected.tokens, cut.tokens) || !inkling_test::bit_exact());
        on.statistics().set_costs(costs);
        const auto whole = run_on(on, request);
        CHECK_SAME_ANSWER(whole, expected);
        CHECK(begins_with(whole.tokens, cut.tokens));
        if (cut.tokens.empty()) {
            // Cancelled in the prefill: the next run continues after all evaluated tokens.
            CHECK_EQUAL(cut.metrics.evaluated_tokens, held);
            CHECK_EQUAL(whole.metrics.reused_tokens, held);
        } else {
            // Cancelled in the decode: the slot keeps all generated tokens, and has evaluated all but the last.
            CHECK_EQUAL(held, prompt + static_cast<int32_t>(cut.tokens.size()) - 1);
            CHECK_EQUAL(whole.metrics.replayed_tokens, static_cast<int32_t>(cut.tokens.size()));
            CHECK_EQUAL(whole.metrics.reused_tokens, prompt);
        }
    }
}

} // namespace

TEST("a generation cancelled at any chunk or round keeps what it evaluated, on each architecture") {
    int plain   = 0;
    int drafted = 0;
    for (const std::string & name : tiny_architectures()) {
        const auto on       = make_slot(tiny_chunks(name));
        const auto fresh    = make_slot(tiny_chunks(name));
        auto       request  = fim_request(PREFIX, SUFFIX, 10, "    if (c");
        request.speculation = speculation_mode::off;
        const auto expected = run_on(*fresh, request);
        const int  alone    = check_each_boundary(*on, request, expected);
        CHECK(alone >= 10);
        plain += alone;

        on->statistics().set_costs(eager_costs());
        request.speculation = speculation_mode::automatic;
        request.draft       = expected.text;
        drafted += check_each_boundary(*on, request, expected);
    }
    // Accepted drafts make fewer rounds.
    CHECK(drafted < plain);
}

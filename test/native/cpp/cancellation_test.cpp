// A caller may cancel a generation at any chunk of its prefill and any round of its decode, and a long batch may be cut
// or paused anywhere, for others too. The slot keeps what it evaluated, and the next answer equals that of a fresh
// engine. This holds on each architecture.
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

// Small chunks give many pauses.
slot_options tiny_chunks(const std::string & architecture) {
    slot_options options = inkling_test::tiny(architecture);
    options.batch_size   = 16;
    return options;
}

bool begins_with(const std::vector<token_id> & text, const std::vector<token_id> & start) {
    return start.size() <= text.size() && std::equal(start.begin(), start.end(), text.begin());
}

// Cancels in pause number `number`. In a pause, between two chunks or rounds, the generation asks whether more
// urgent work waits.
generation_result cut_at(slot & on, const generation_request & request, int number) {
    abort_flag abort;
    int        passed = 0;
    preemption watch;
    watch.wanted = [&] {
        if (++passed == number) {
            abort.set();
        }
        return false;
    };
    const std::function<void(const std::string &)> ignore = [](const std::string &) {
    };
    return generation_run(on, request, abort, ignore, watch).execute();
}

// Cancels in each pause in turn, then runs the same request to its end. Returns the number of pauses.
int check_each_pause(slot & on, const generation_request & request, const generation_result & expected) {
    const decode_costs costs = on.statistics().costs();
    for (int number = 1;; ++number) {
        on.forget();
        on.statistics() = draft_statistics(costs);
        const auto cut  = cut_at(on, request, number);
        if (cut.reason != stop_reason::aborted) {
            CHECK_SAME_ANSWER(cut, expected);
            return number - 1;
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

// Cuts at call number `call` of the engine's question whether to. Returns the result; `calls` counts them.
generation_result cut_inside(slot & on, const generation_request & request, int call, int & calls) {
    abort_flag abort;
    preemption watch;
    calls     = 0;
    watch.cut = [&](const batch_in_work & batch) {
        CHECK(batch.end <= static_cast<int32_t>(batch.text.size()));
        if (++calls == call) {
            abort.set();
        }
        return calls >= call;
    };
    const std::function<void(const std::string &)> ignore = [](const std::string &) {
    };
    return generation_run(on, request, abort, ignore, watch).execute();
}

// Cuts in the midst of batch number `number`, rounds included.
generation_result cut_in_batch(slot & on, const generation_request & request, int number) {
    abort_flag abort;
    preemption watch;
    int        batches = 0;
    int        calls   = 0;
    int32_t    end     = 0;
    watch.cut          = [&](const batch_in_work & batch) {
        if (batch.end != end) {
            ++batches;
            end   = batch.end;
            calls = 0;
        }
        const bool now = batches == number && ++calls == 10;
        if (now) {
            abort.set();
        }
        return now;
    };
    const std::function<void(const std::string &)> ignore = [](const std::string &) {
    };
    return generation_run(on, request, abort, ignore, watch).execute();
}

struct cuts {
    int in_prefill = 0;
    int in_rounds  = 0;
};

// Cuts in the midst of batches and rounds, at every `step`-th operation, then runs the same request to its end: on a
// slot that was empty, and again on what the cut left.
cuts check_cuts(slot & on, const generation_request & request, const generation_result & expected, int step) {
    const decode_costs costs = on.statistics().costs();
    cuts               done;
    int                calls = 0;
    for (int call = 1;; call += step) {
        on.forget();
        on.statistics() = draft_statistics(costs);
        const auto cut  = cut_inside(on, request, call, calls);
        if (calls < call) {
            CHECK_SAME_ANSWER(cut, expected);
            return done;
        }
        CHECK_EQUAL(calls, call);
        CHECK_EQUAL(to_string(cut.reason), std::string("aborted"));
        CHECK(begins_with(expected.tokens, cut.tokens));
        CHECK(on.seq().length() <= cut.metrics.prompt_tokens + static_cast<int32_t>(cut.tokens.size()));
        for (const int32_t length : on.seq().checkpoints().lengths()) {
            CHECK(length <= on.seq().length());
        }
        ++(cut.tokens.empty() ? done.in_prefill : done.in_rounds);
        // Again, a bit further on: what is left must bear another cut.
        if (call % 2 == 0) {
            cut_inside(on, request, 1 + call % 7, calls);
        }
        on.statistics().set_costs(costs);
        CHECK_SAME_ANSWER(run_on(on, request), expected);
    }
}

// Others come again and again within batches and rounds, at every `step`-th operation. They use `others`, which is
// another slot, or the same one; then the batch is cut. Returns how often they came.
int check_others(slot & on, const generation_request & request, const generation_result & expected, slot & others,
                 int step) {
    const decode_costs costs = on.statistics().costs();
    const auto         other = fim_request(SUFFIX, PREFIX, 2, "    for");
    const auto         alone = run_on(others, other);
    on.forget();
    on.statistics() = draft_statistics(costs);
    others.forget();
    int        calls = 0;
    int        came  = 0;
    bool       waits = false;
    preemption preempt;
    const auto run = [&] {
        CHECK_SAME_ANSWER(run_on(others, other), alone);
        ++came;
    };
    if (&others != &on) {
        preempt.wanted_beside = [&](double) {
            return ++calls % step == 0;
        };
        preempt.let_pass_beside = run;
    } else {
        preempt.cut = [&](const batch_in_work &) {
            waits = waits || ++calls % step == 0;
            return waits;
        };
        preempt.wanted = [&] {
            return waits;
        };
        preempt.let_pass = [&] {
            waits = false;
            run();
        };
    }
    const abort_flag                               never;
    const std::function<void(const std::string &)> ignore = [](const std::string &) {
    };
    const auto result = generation_run(on, request, never, ignore, preempt).execute();
    CHECK_SAME_ANSWER(result, expected);
    CHECK_EQUAL(result.metrics.preemptions, came);
    on.statistics().set_costs(costs);
    return came;
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
        const int  alone    = check_each_pause(*on, request, expected);
        CHECK(alone >= 10);
        plain += alone;

        on->statistics().set_costs(eager_costs());
        request.speculation = speculation_mode::automatic;
        request.draft       = expected.text;
        drafted += check_each_pause(*on, request, expected);
    }
    // Accepted drafts make fewer rounds.
    CHECK(drafted < plain);
}

TEST("a generation that is cut within a batch or round answers like an uninterrupted one, on each architecture") {
    if (!inkling_test::bit_exact("a cut batch, which a GPU never is")) {
        return;
    }
    // A prime, so that over all models each operation has its turn.
    const int step = 1009 / inkling_test::scaled(40);
    for (const std::string & name : tiny_architectures()) {
        const auto on       = make_slot(tiny_chunks(name));
        const auto fresh    = make_slot(tiny_chunks(name));
        auto       request  = fim_request(PREFIX, SUFFIX, 10, "    if (c");
        request.speculation = speculation_mode::off;
        const auto expected = run_on(*fresh, request);
        const cuts plain    = check_cuts(*on, request, expected, step);
        CHECK(plain.in_prefill > 0 && plain.in_rounds > 0);

        on->statistics().set_costs(eager_costs());
        request.speculation = speculation_mode::automatic;
        request.draft       = expected.text;
        const cuts verify   = check_cuts(*on, request, expected, step);
        CHECK(verify.in_prefill > 0 && verify.in_rounds > 0);
    }
}

TEST("a prompt of many blocks that is cut goes on behind a checkpoint or a block, and loses one batch at most") {
    if (!inkling_test::bit_exact("a cut batch, which a GPU never is")) {
        return;
    }
    for (const std::string name : {"qwen2", "qwen35moe+mtp", "lfm2"}) {
        const auto         on    = make_slot(inkling_test::tiny(name));
        const auto         fresh = make_slot(inkling_test::tiny(name));
        generation_request request;
        for (int32_t i = 0; i < 500; ++i) {
            request.prompt.emplace_back(token_id{300 + (i * 7919) % 15000});
        }
        request.max_tokens  = 2;
        request.speculation = speculation_mode::off;
        const auto expected = run_on(*fresh, request);
        int        kept     = 0;
        for (int number = 1;; ++number) {
            on->forget();
            const auto cut = cut_in_batch(*on, request, number);
            if (cut.reason != stop_reason::aborted || !cut.tokens.empty()) {
                CHECK(number > 2);
                break;
            }
            // Every batch that ended is kept.
            CHECK_EQUAL(on->seq().length(), cut.metrics.evaluated_tokens);
            kept += on->seq().length();
            const auto whole = run_on(*on, request);
            CHECK_EQUAL(whole.metrics.reused_tokens, cut.metrics.evaluated_tokens);
            CHECK_SAME_ANSWER(whole, expected);
        }
        CHECK(kept > 0);
    }
}

TEST("a generation whose batches and rounds make way for others answers the same, on each architecture") {
    if (!inkling_test::bit_exact("a batch that makes way, which a GPU's never does")) {
        return;
    }
    // Few enough that others come several times in the smallest model.
    const int step = 499 / inkling_test::scaled(40);
    for (const std::string & name : tiny_architectures()) {
        const auto on       = make_slot(tiny_chunks(name));
        const auto beside   = make_slot(tiny_chunks(name));
        auto       request  = fim_request(PREFIX, SUFFIX, 10, "    if (c");
        request.speculation = speculation_mode::off;
        const auto expected = run_on(*make_slot(tiny_chunks(name)), request);
        CHECK(check_others(*on, request, expected, *beside, step) > 2);
        CHECK(check_others(*on, request, expected, *on, step) > 2);

        on->statistics().set_costs(eager_costs());
        request.speculation = speculation_mode::automatic;
        request.draft       = expected.text;
        CHECK(check_others(*on, request, expected, *beside, step) > 2);
        CHECK(check_others(*on, request, expected, *on, step) > 2);
    }
}

TEST("a batch that others would cut each time comes to its end the second time") {
    if (!inkling_test::bit_exact("a cut batch, which a GPU never is")) {
        return;
    }
    for (const std::string name : {"qwen2", "qwen35moe+mtp", "lfm2"}) {
        const auto on       = make_slot(tiny_chunks(name));
        auto       request  = fim_request(PREFIX, SUFFIX, 4, "    if (c");
        request.speculation = speculation_mode::off;
        const auto expected = run_on(*make_slot(tiny_chunks(name)), request);
        CHECK(check_others(*on, request, expected, *on, 1) > 2);
    }
}

TEST("other threads wait for a batch that is paused") {
    if (!inkling_test::bit_exact("a batch that makes way, which a GPU's never does")) {
        return;
    }
    slot_options options = tiny_chunks("qwen35moe+mtp");
    options.threads      = 2;
    const auto on        = make_slot(options);
    const auto beside    = make_slot(options);
    const auto request   = fim_request(PREFIX, SUFFIX, 4, "    if (c");
    const auto expected  = run_on(*make_slot(options), request);
    CHECK(check_others(*on, request, expected, *beside, 211) > 2);
}

// A generation may be cancelled at any chunk of its prefill and any round of its decode; what is evaluated stays, on
// each architecture, and what follows is what a fresh engine says.
#include "check.h"
#include "lanes.h"
#include "tiny_models.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace inkling;
using inkling_test::eager_costs;
using inkling_test::fim_request;
using inkling_test::lane_options;
using inkling_test::make_lane;
using inkling_test::run_on;
using inkling_test::tiny_architectures;
using inkling_test::tiny_model;

namespace {

const std::string PREFIX =
    "import { readFileSync } from 'node:fs';\n\nexport function countLines(path: string): number {\n"
    "  const text = readFileSync(path, 'utf8');\n  let lines = 0;\n  for (const c of text) {\n";
const std::string SUFFIX = "\n  }\n  return lines;\n}\n";

lane_options tiny(const std::string & architecture) {
    lane_options options;
    options.model      = tiny_model(architecture);
    options.threads    = 1;
    options.batch_size = 16;
    return options;
}

bool begins_with(const std::vector<token_id> & text, const std::vector<token_id> & start) {
    return start.size() <= text.size() && std::equal(start.begin(), start.end(), text.begin());
}

} // namespace

TEST("cancelled at any round, with and without drafts, everything said is kept but the last token") {
    for (const std::string & name : tiny_architectures()) {
        const auto on       = make_lane(tiny(name));
        const auto fresh    = make_lane(tiny(name));
        auto       request  = fim_request(PREFIX, SUFFIX, 16, "    if (c");
        request.speculation = speculation_mode::off;
        const auto expected = run_on(*fresh, request);
        for (const bool speculate : {false, true}) {
            request.speculation = speculate ? speculation_mode::automatic : speculation_mode::off;
            request.draft       = speculate ? expected.text : "";
            for (int pieces = 1; pieces <= 4; ++pieces) {
                on->forget();
                on->costs = speculate ? eager_costs() : decode_costs();
                abort_flag                                     abort;
                int                                            seen    = 0;
                const std::function<void(const std::string &)> on_text = [&](const std::string &) {
                    if (++seen == pieces) {
                        abort.set();
                    }
                };
                const auto cut = generation_run(*on, request, abort, on_text).execute();
                CHECK(cut.reason == stop_reason::aborted || cut.tokens == expected.tokens);
                CHECK(begins_with(expected.tokens, cut.tokens));
                CHECK(on->seq.length() + 1 >= cut.metrics.prompt_tokens + static_cast<int32_t>(cut.tokens.size()));
                const auto whole = run_on(*on, request);
                CHECK(whole.tokens == expected.tokens);
                CHECK(whole.log_probabilities == expected.log_probabilities);
                CHECK(whole.metrics.replayed_tokens >= static_cast<int32_t>(cut.tokens.size()));
                CHECK(whole.metrics.evaluated_tokens <= 1 + 3 * static_cast<int32_t>(expected.tokens.size()));
            }
        }
    }
}

TEST("cancelled at any chunk of the prefill, what was evaluated is gone on from") {
    for (const std::string & name : tiny_architectures()) {
        const auto on       = make_lane(tiny(name));
        const auto fresh    = make_lane(tiny(name));
        auto       request  = fim_request(PREFIX, SUFFIX, 4, "    if (c");
        request.speculation = speculation_mode::off;
        const auto expected = run_on(*fresh, request);
        const auto prompt   = expected.metrics.prompt_tokens;
        int        inside   = 0;
        for (int trial = 0; trial < 12; ++trial) {
            on->forget();
            abort_flag  abort;
            const auto  wait = std::chrono::duration<double, std::milli>(expected.metrics.prefill_ms * trial / 12);
            std::thread user([&] {
                std::this_thread::sleep_for(wait);
                abort.set();
            });
            const auto  cut = run_on(*on, request, abort);
            user.join();
            const int32_t held  = on->seq.length();
            const auto    whole = run_on(*on, request);
            CHECK(whole.tokens == expected.tokens);
            CHECK(whole.log_probabilities == expected.log_probabilities);
            if (cut.tokens.empty() && held < prompt) {
                ++inside;
                CHECK(cut.reason == stop_reason::aborted);
                CHECK(whole.metrics.reuse == reuse_action::append);
                CHECK_EQUAL(whole.metrics.reused_tokens, held);
                CHECK_EQUAL(cut.metrics.evaluated_tokens, held);
            }
        }
        CHECK(inside > 0);
    }
}

// Drafts do not change the distribution of sampled tokens. A draft is one fixed token, proposed with certainty.
// Rejection sampling would accept it with the model's probability, and otherwise draw from the other tokens. Drawing
// from the model and comparing has the same effect. With the same seed it even gives the tokens of plain decoding,
// which speculation_test checks. This test uses other seeds and counts, as for rejection sampling.
#include "check.h"
#include "slots.h"

#include <cmath>
#include <map>

using namespace inkling;
using inkling_test::eager_costs;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::tiny;

namespace {

const uint32_t    DRAWS  = static_cast<uint32_t>(inkling_test::scaled(1500));
constexpr int32_t TOKENS = 3;

using counts = std::map<std::vector<token_id>, double>;

struct sample {
    counts  seen;
    int32_t drafted  = 0;
    int32_t accepted = 0;
};

sample draw(slot & on, generation_request request, uint32_t first_seed) {
    sample result;
    for (uint32_t i = 0; i < DRAWS; ++i) {
        on.statistics()       = draft_statistics(eager_costs());
        request.sampling.seed = first_seed + i;
        const auto one        = run_on(on, request);
        result.seen[one.tokens] += 1.0;
        result.drafted += one.metrics.drafted_tokens;
        result.accepted += one.metrics.accepted_draft_tokens;
    }
    return result;
}

// Compares the chi-squared statistic of two equally large samples with its value for one common distribution. Returns
// the excess in standard deviations (Wilson and Hilferty). Rare outcomes count together.
double deviations(const counts & left, const counts & right) {
    std::map<std::vector<token_id>, std::pair<double, double>> cells;
    for (const auto & [tokens, count] : left) {
        cells[tokens].first += count;
    }
    for (const auto & [tokens, count] : right) {
        cells[tokens].second += count;
    }
    double     statistic = 0.0;
    int        degrees   = -1;
    const auto add       = [&](double a, double b) {
        if (a + b > 0.0) {
            statistic += (a - b) * (a - b) / (a + b);
            ++degrees;
        }
    };
    std::pair<double, double> rare{0.0, 0.0};
    for (const auto & [tokens, pair] : cells) {
        if (pair.first + pair.second < 10.0) {
            rare.first += pair.first;
            rare.second += pair.second;
        } else {
            add(pair.first, pair.second);
        }
    }
    add(rare.first, rare.second);
    CHECK(degrees > inkling_test::scaled(5));
    const double spread = 2.0 / (9.0 * degrees);
    return (std::cbrt(statistic / degrees) - (1.0 - spread)) / std::sqrt(spread);
}

} // namespace

TEST("the joint distribution of sampled tokens is the same with drafts as without") {
    // The first has an MTP head and snapshots, the second has neither.
    for (const std::string name : {"qwen35moe+mtp", "mamba2"}) {
        const auto on     = make_slot(tiny(name));
        auto       plain  = fim_request("let total = 0;\nfor (const item of items) {\n  total += ", ";\n}\n", TOKENS);
        plain.speculation = speculation_mode::off;
        const auto greedy = run_on(*on, plain);
        plain.sampling.temperature = 1.6f;
        plain.sampling.top_k       = 5;
        const sample expected      = draw(*on, plain, 1);

        auto speculative        = plain;
        speculative.speculation = speculation_mode::automatic;
        speculative.draft       = greedy.text;
        const sample result     = draw(*on, speculative, 100'000);
        const double distance   = deviations(expected.seen, result.seen);
        std::cout << "     " << name << ": " << expected.seen.size() << " outcomes, drafts accepted " << result.accepted
                  << " of " << result.drafted << ", " << distance << " deviations\n";
        CHECK(result.accepted > inkling_test::scaled(100) && result.accepted < result.drafted);
        CHECK(distance < 3.0);

        // The test can fail: a slightly different temperature is far away.
        auto other                 = plain;
        other.sampling.temperature = 1.1f;
        const double apart         = deviations(expected.seen, draw(*on, other, 200'000).seen);
        std::cout << "     another temperature: " << apart << " deviations\n";
        CHECK(apart > 6.0 * DRAWS / 1500);
    }
}

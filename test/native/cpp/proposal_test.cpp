// A proposal is what an answer will mostly say. It is verified in batches as long as a prefill's, so the answer may
// differ in its last bits from that of single tokens, but nothing that is held afterwards may be taken for theirs.
#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include "engine/draft/proposed_text.h"

#include <algorithm>
#include <numeric>
#include <optional>

using namespace inkling;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::slot_options;
using inkling_test::tiny;
using inkling_test::tiny_architectures;

namespace {

using tokens = std::vector<token_id>;

tokens numbers(token_id first, int32_t count) {
    tokens result(static_cast<size_t>(count));
    std::iota(result.begin(), result.end(), first);
    return result;
}

tokens joined(std::initializer_list<tokens> parts) {
    tokens result;
    for (const tokens & part : parts) {
        result.insert(result.end(), part.begin(), part.end());
    }
    return result;
}

// The starter model and each architecture.
std::vector<std::pair<std::string, slot_options>> models() {
    std::vector<std::pair<std::string, slot_options>> result{{"starter model", {}}};
    for (const std::string & name : tiny_architectures()) {
        result.emplace_back(name, tiny(name));
    }
    return result;
}

generation_request code_request(int32_t max_tokens) {
    generation_request request = inkling_test::fim_request(
        "export function mean(values: number[]): number {\n  let sum = 0;\n  for (const value of values) {\n", "\n}\n",
        max_tokens);
    // To the very last token, so that answers are long.
    request.ends_with_file = false;
    return request;
}

// The text with a change in its middle.
std::string changed(const std::string & text) {
    return text.substr(0, text.size() / 2) + "?" + text.substr(text.size() / 2);
}

} // namespace

TEST("a proposal is offered as far as the answer follows it") {
    proposed_text text(numbers(100, 40));
    CHECK(text.next(64) == numbers(100, 40));
    CHECK(text.next(8) == numbers(100, 8));
    text.follow(numbers(100, 12));
    CHECK(text.next(64) == numbers(112, 28));
    text.follow(numbers(100, 40));
    CHECK(text.next(64).empty());
    text.follow(joined({numbers(100, 40), {7}}));
    CHECK(text.next(64).empty());
    CHECK(proposed_text().next(8).empty());
}

TEST("behind a departure nothing is offered until the answer meets the text again, then little at first") {
    for (const tokens & change : {tokens{7, 8}, tokens{7}, tokens{120}}) {
        // Ten tokens as proposed, a change in place of five, and the rest as proposed.
        const tokens  answer = joined({numbers(100, 10), change, numbers(115, 60)});
        const auto    meets  = 10 + change.size() + proposed_text::MEETING;
        proposed_text text(numbers(100, 75));
        for (size_t said = 11; said < meets; ++said) {
            text.follow({answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(said)});
            CHECK(text.next(64).empty());
        }
        text.follow({answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(meets)});
        CHECK(text.next(64) == numbers(115 + proposed_text::MEETING, 8));
        text.follow({answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(meets + 20)});
        CHECK(text.next(64) == numbers(115 + proposed_text::MEETING + 20, 20));
        CHECK(text.next(5) == numbers(115 + proposed_text::MEETING + 20, 5));
    }
}

TEST("an answer meets the text only behind its departure, and at the first of equal places") {
    proposed_text text(joined({numbers(100, 20), numbers(50, 5), numbers(10, 5), numbers(50, 5), numbers(30, 5)}));
    // Departs at 50, and says what stands before it.
    text.follow(joined({numbers(100, 20), {9}, numbers(104, 6)}));
    CHECK(text.next(64).empty());
    text.follow(joined({numbers(100, 20), {9}, numbers(104, 6), numbers(51, 3)}));
    CHECK(text.next(2) == (tokens{54, 10}));
}

TEST("a proposal is verified in few rounds, on each architecture") {
    int same     = 0;
    int all      = 0;
    int followed = 0;
    for (const auto & [name, options] : models()) {
        const auto on       = make_slot(options);
        auto       request  = code_request(64);
        request.speculation = speculation_mode::off;
        const auto expected = run_on(*on, request);
        request.speculation = speculation_mode::automatic;
        for (const std::string & proposal : {expected.text, changed(expected.text)}) {
            on->forget();
            request.proposal  = proposal;
            const auto result = run_on(*on, request);
            ++all;
            if (result.tokens != expected.tokens) {
                continue;
            }
            ++same;
            // What a tiny model says is seldom what its text is as tokens.
            const bool spelled =
                on->loaded_model().tokenize(expected.text, /*parse_special =*/false) == expected.tokens;
            if (proposal == expected.text && spelled && expected.metrics.rounds > 30 && on->seq().can_take_back()) {
                std::cout << "     " << name << ": " << result.metrics.rounds << " rounds instead of "
                          << expected.metrics.rounds << "\n";
                CHECK(result.metrics.rounds <= expected.metrics.rounds / 3);
                ++followed;
            }
        }
    }
    std::cout << "     " << same << " of " << all << " answers are those of plain decoding\n";
    CHECK(same > all / 2);
    CHECK(followed > 0);
}

TEST("what a proposal leaves behind changes no later answer, on each architecture") {
    for (const auto & [name, options] : models()) {
        const auto on       = make_slot(options);
        const auto fresh    = make_slot(options);
        auto       request  = code_request(48);
        request.speculation = speculation_mode::off;
        const auto expected = run_on(*fresh, request);
        for (const std::string & proposal : {expected.text, changed(expected.text), std::string("x = 1;\n")}) {
            auto rewriting        = request;
            rewriting.speculation = speculation_mode::automatic;
            rewriting.proposal    = proposal;
            const auto rewritten  = run_on(*on, rewriting);

            // The same prompt, and one that ends within the answer.
            const auto again = run_on(*on, request);
            CHECK_EQUAL(again.metrics.replayed_tokens, 0);
            CHECK_SAME_ANSWER(again, expected);
            run_on(*on, rewriting);
            auto typed       = code_request(8);
            typed.prompt     = request.prompt;
            typed.boundaries = request.boundaries;
            typed.prompt.emplace_back(rewritten.text.substr(0, rewritten.text.size() / 2));
            CHECK_SAME_ANSWER(run_on(*on, typed), run_on(*make_slot(options), typed));
        }
    }
}

TEST("a proposal may be longer than the answer, the context or a batch, and begin with anything") {
    auto       request = code_request(20);
    const auto on      = make_slot(256, 16);
    for (const std::string & proposal : {std::string(5000, 'a'), std::string(1, '\0'), std::string("\xff\xfe"),
                                         std::string("\n\n\n"), std::string("return sum / values.length;\n}")}) {
        request.proposal  = proposal;
        const auto result = run_on(*on, request);
        CHECK(result.tokens.size() <= 20);
        CHECK(result.metrics.drafted_tokens >= result.metrics.accepted_draft_tokens);
    }
    request.proposal    = "    sum += value;\n  }\n  return sum;";
    request.speculation = speculation_mode::off;
    CHECK_EQUAL(run_on(*on, request).metrics.drafted_tokens, 0);
}

namespace {

// A request whose answer follows its proposal for a token of its own choice, and then departs; nothing where the model
// has none.
std::optional<generation_request> departing_request(slot & on) {
    const std::string rest = ";\nconst table = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]];\n";
    for (const char * const start : {"export const", "let", "return sum", "if (value", "x.push(", "\n\n", "}"}) {
        auto request       = code_request(24);
        request.begin      = on.loaded_model().tokenize(start, /*parse_special =*/false);
        request.proposal   = "";
        const auto plain   = run_on(on, request);
        const auto follows = static_cast<std::ptrdiff_t>(request.begin.size()) + 1;
        request.proposal   = on.loaded_model().detokenize({plain.tokens.begin(), plain.tokens.begin() + follows},
                                                          /*special =*/false) +
                           rest;
        const tokens proposed = on.loaded_model().tokenize(request.proposal, /*parse_special =*/false);
        on.forget();
        if (static_cast<int32_t>(plain.tokens.size()) == request.max_tokens &&
            std::equal(plain.tokens.begin(), plain.tokens.begin() + follows, proposed.begin())) {
            return request;
        }
    }
    return std::nullopt;
}

} // namespace

TEST("what follows a rejected proposal does not count as evaluated token by token, on each architecture") {
    auto with_types = models();
    // Kernels of ggml's own, which round long batches otherwise.
    for (const char * type : {"q8_0", "q4_0", "f16"}) {
        slot_options options;
        options.model = inkling_test::tiny_model("qwen2", type);
        with_types.emplace_back(type, options);
    }
    int rejected = 0;
    for (const auto & [name, options] : with_types) {
        const auto on        = make_slot(options);
        const auto rewriting = departing_request(*on);
        if (!rewriting) {
            continue;
        }
        const auto    rewritten = run_on(*on, *rewriting);
        const int32_t lost      = rewritten.metrics.drafted_tokens - rewritten.metrics.accepted_draft_tokens;
        rejected += lost > MOST_EXACT_ROWS ? 1 : 0;

        // The answer as tokens, because a tiny model's text has others.
        auto typed = code_request(8);
        typed.prompt.insert(typed.prompt.end(), rewritten.tokens.begin(), rewritten.tokens.end());
        CHECK_EQUAL(name + inkling_test::difference(run_on(*on, typed), run_on(*make_slot(options), typed)), name);
    }
    std::cout << "     " << rejected << " of " << with_types.size() << " models rejected most of their proposal\n";
    CHECK(rejected * 2 > static_cast<int>(with_types.size()));
}

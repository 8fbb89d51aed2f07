#include "check.h"
#include "slots.h"

#include "engine/draft/prompt_lookup.h"
#include "engine/text/token_healing.h"
#include "engine/text/vocabulary_index.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace inkling;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::starter_model;

TEST("the unstable end of a text is its last run, with the blank before a word") {
    CHECK_EQUAL(unstable_suffix(""), 0u);
    CHECK_EQUAL(unstable_suffix("const value"), 6u);
    CHECK_EQUAL(unstable_suffix("const value = "), 1u);
    CHECK_EQUAL(unstable_suffix("a.leng"), 5u);
    CHECK_EQUAL(unstable_suffix("x ="), 2u);
    CHECK_EQUAL(unstable_suffix("f(12"), 2u);
    CHECK_EQUAL(unstable_suffix("\n    "), 5u);
    CHECK_EQUAL(unstable_suffix("};\n"), 3u);
    CHECK_EQUAL(unstable_suffix("h\xC3\xA9"), 3u);
}

TEST("healing keeps the text: stable tokens, then the rest") {
    for (const std::string text :
         {"const value", "  return comput", "foo(a, b", "x\n\n    ", "\xE4\xBD\xA0\xE5\xA5\xBD", "}"}) {
        const healed_text healed = heal(*starter_model(), text, 4);
        CHECK_EQUAL(starter_model()->detokenize(healed.stable, true) + healed.rest, text);
        CHECK(!healed.rest.empty());
    }
}

TEST("the byte index finds exactly the tokens that can come next") {
    const vocabulary_index index(*starter_model());
    for (const std::string bytes : {"ret", " ", "\n  ", "functio", "\xE4", "=>", "zzzqqq"}) {
        std::vector<token_id> found;
        index.compatible_tokens(bytes, found);
        const std::set<token_id> unique(found.begin(), found.end());
        CHECK_EQUAL(unique.size(), found.size());
        for (token_id token = 0; token < starter_model()->facts().vocabulary_size; ++token) {
            const std::string piece = starter_model()->is_special(token) ? "" : starter_model()->piece(token, false);
            const bool        fits  = !piece.empty() && (piece.starts_with(bytes) || bytes.starts_with(piece));
            CHECK_EQUAL(unique.contains(token), fits);
        }
    }
}

TEST("a completion continues from the typed bytes, at every place inside a line") {
    const auto        on   = make_slot(512, 128);
    const std::string line = "  return values.filter((value) => value > threshold).map(String);";
    for (size_t typed = 3; typed < line.size(); typed += 4) {
        const std::string middle = line.substr(0, typed);
        const auto        result =
            run_on(*on, fim_request("function pick(values: number[], threshold: number) {\n", "\n}\n", 12, middle));
        // The tokens' bytes are the healed bytes, then the shown text.
        const std::string bytes = starter_model()->detokenize(result.tokens, false);
        const std::string rest  = heal(*starter_model(), middle, 4).rest;
        if (result.reason != stop_reason::end_of_text || !result.text.empty()) {
            CHECK(bytes.starts_with(rest));
            CHECK_EQUAL(bytes, rest + result.text);
        }
    }
}

TEST("lookup drafts what followed the longest, latest occurrence, and reports its length") {
    CHECK(prompt_lookup({1, 2, 3, 4, 5}, 4).tokens.empty());
    const std::vector<token_id> repeated = {1, 2, 3, 9, 9, 7, 1, 2, 3};
    CHECK(prompt_lookup(repeated, 3).tokens == std::vector<token_id>({9, 9, 7}));
    CHECK(prompt_lookup(repeated, 1).tokens == std::vector<token_id>({9}));
    CHECK_EQUAL(prompt_lookup(repeated, 1).matched, 3);
    CHECK(prompt_lookup(repeated, 1, 8, 4).tokens.empty());
    CHECK_EQUAL(prompt_lookup(repeated, std::numeric_limits<int32_t>::max()).tokens.size(), 6u);
    const std::vector<token_id> longer = {5, 1, 2, 3, 8, 0, 1, 2, 3, 9, 5, 1, 2, 3};
    CHECK_EQUAL(prompt_lookup(longer, 1).tokens.front(), 8);
    CHECK_EQUAL(prompt_lookup(longer, 1).matched, 4);
}

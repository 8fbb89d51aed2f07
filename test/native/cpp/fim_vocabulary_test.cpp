// Prompts that fill in the middle, with the vocabulary files in llama.cpp's source, and with made ones.
#include "check.h"
#include "vocabularies.h"

#include "engine/base/error.h"
#include "engine/generate/answer.h"
#include "engine/generate/prompt.h"

#include <map>

using namespace inkling;
using inkling_test::error_code_of;
using inkling_test::made_vocabulary;
using inkling_test::spelled;
using inkling_test::vocabulary_changes;
using inkling_test::vocabulary_names;

namespace {

// The prompt that completion builds, with the file's text in four parts.
std::vector<token_id> fim_prompt(const model & loaded, const std::string & blank = "") {
    const fim_tokens & fim = *loaded.facts().fim;
    generation_request request;
    const auto         prefix = [&] {
        request.prompt.insert(request.prompt.end(), {fim.prefix, blank + "def area(w, h):\n"});
    };
    const auto suffix = [&] {
        request.prompt.insert(request.prompt.end(), {fim.suffix, "\n\nprint(area(2, 3))\n"});
    };
    fim.suffix_first ? (suffix(), prefix()) : (prefix(), suffix());
    if (fim.middle != no_token) {
        request.prompt.emplace_back(fim.middle);
    }
    request.prompt.insert(request.prompt.end(), {std::string("    side = w\n"), std::string("    ret")});
    return tokenize_prompt(loaded, request).tokens;
}

void check_prompt(const std::string & what, const std::vector<token_id> & got, const std::vector<token_id> & expected) {
    if (got != expected) {
        inkling_test::fail(__FILE__, __LINE__, what + ": got " + spelled(got));
    }
}

// Of the text in four parts, by vocabulary. llama.cpp's own test files hold the tokenizers (vocabulary_test).
const std::map<std::string, std::vector<token_id>> PARTS = {
    {"aquila", {3196, 4411, 8, 87, 12, 334, 3493, 199, 475, 3882, 221, 29, 281, 199, 475, 1737, 1288}},
    {"baichuan", {5709,  1963, 31146, 31126, 31125, 688,   2942,  5,     31106, 31106,
                  31106, 2481, 1147,  661,   5,     31106, 31106, 31106, 1283,  1114}},
    {"command-r", {3545, 4345, 15, 94, 19, 1727, 2884, 206, 1742, 5569, 1857, 1695, 206, 1742, 4051, 2080}},
    {"deepseek-coder", {1551, 3036, 7, 86, 11, 286, 1772, 185, 315, 2376, 405, 259, 185, 315, 2629, 624}},
    {"deepseek-llm", {1558, 3046, 7, 86, 11, 286, 1780, 185, 300, 2387, 403, 259, 185, 300, 2642, 629}},
    {"falcon", {3071, 1766, 19, 98, 23, 278, 2045, 193, 466, 1753, 204, 40, 251, 193, 466, 848, 654}},
    {"gemma-4", {2063, 2433, 236769, 236765, 236764, 534, 1473, 107, 140, 2897, 578, 515, 107, 140, 4243, 794}},
    {"gpt-2", {4299, 1989, 7, 86, 11, 289, 2599, 198, 220, 220, 220, 1735, 796, 266, 198, 220, 220, 220, 1005, 700}},
    {"gpt-neox", {1545, 2170, 9, 88, 13, 288, 2262, 187, 50274, 2189, 209, 30, 259, 187, 50274, 1221, 662}},
    {"llama-bpe", {755, 3158, 3706, 11, 305, 997, 262, 3185, 284, 289, 198, 262, 2160, 399}},
    {"llama-spm", {1753, 4038, 29898, 29893, 29892, 298, 1125, 13, 1678, 2625, 353, 281, 13, 1678, 3240, 595}},
    {"mpt", {1545, 2170, 9, 88, 13, 288, 2262, 187, 50274, 2189, 426, 259, 187, 50274, 1221, 662}},
    {"phi-3", {1753, 4038, 29898, 29893, 29892, 298, 1125, 13, 1678, 2625, 353, 281, 13, 1678, 3240, 595}},
    {"qwen2", {750, 3082, 3622, 11, 305, 982, 262, 3108, 284, 289, 198, 262, 2112, 399}},
    {"qwen35", {750, 3082, 3622, 11, 305, 982, 262, 3108, 284, 289, 198, 262, 2112, 399}},
    {"refact", {589, 5951, 26, 105, 30, 420, 711, 203, 264, 5209, 280, 341, 203, 264, 2152, 375}},
    {"starcoder", {610, 5978, 45, 124, 49, 439, 731, 222, 283, 5226, 299, 360, 222, 283, 2170, 394}},
};

} // namespace

void inkling_test::check_fim(const std::string & name, const model & loaded) {
    std::vector<token_id> tokens;
    for (const std::string part : {"def area(w, h):\n", "    side = w\n", "    ret", "urn"}) {
        const auto more = loaded.tokenize(part, /*parse_special =*/false);
        tokens.insert(tokens.end(), more.begin(), more.end());
    }
    const auto expected = PARTS.find(name);
    check_prompt(name, tokens, expected == PARTS.end() ? std::vector<token_id>() : expected->second);

    const auto & fim = loaded.facts().fim;
    CHECK_EQUAL(fim.has_value(), name == "starcoder" || name == "refact" || name == "deepseek-coder");
    if (name == "starcoder") {
        CHECK(loaded.ends_file(6) && loaded.ends_file(5)); // <file_sep>, <repo_name>
        check_prompt(name, fim_prompt(loaded),
                     {1,  610, 5978, 45,  124, 49,  439, 731, 222, 3,    222, 222, 1243, 45,  3793,
                      45, 55,  49,   244, 56,  509, 222, 2,   283, 5226, 299, 360, 222,  283, 2170});
    } else if (name == "refact") {
        CHECK(loaded.ends_file(5) && loaded.ends_file(18)); // <filename>, <reponame>
        check_prompt(name, fim_prompt(loaded),
                     {1,  589, 5951, 26,  105, 30,  420, 711, 203, 3,    203, 203, 1216, 26,  3768,
                      26, 36,  30,   225, 37,  490, 203, 2,   264, 5209, 280, 341, 203,  264, 2152});
    } else if (name == "deepseek-coder") {
        check_prompt(name, fim_prompt(loaded),
                     {32016, 1551, 3036, 7,   86, 11,   286, 1772,  185, 32015, 185, 185, 4128, 7,   12181,
                      7,     17,   11,   207, 18, 1435, 185, 32017, 315, 2376,  405, 259, 185,  315, 2629});
    }
}

TEST("families whose vocabulary is not here are recognised by the spelling of their tokens") {
    if (vocabulary_names().empty()) {
        return;
    }
    const auto last = [](const model & loaded, int32_t back) {
        return loaded.facts().vocabulary_size - back;
    };
    {
        vocabulary_changes changes;
        changes.specials  = {"\xE2\x96\x81<PRE>", "\xE2\x96\x81<SUF>", "\xE2\x96\x81<MID>", "\xE2\x96\x81<EOT>"};
        const auto loaded = made_vocabulary("llama-spm", changes);
        CHECK(loaded->facts().leading_blank);
        CHECK_EQUAL(loaded->facts().fim->middle, last(*loaded, 2));
        CHECK(!loaded->facts().fim->suffix_first);
        CHECK(loaded->ends_file(last(*loaded, 1)));
        check_prompt("CodeLlama", fim_prompt(*loaded, " "),
                     {31996, 822,   4038,  29898, 29893, 29892, 298, 1125,  13,   31997, 13,  13,  2158, 29898, 6203,
                      29898, 29906, 29892, 29871, 29941, 876,   13,  31998, 1678, 2625,  353, 281, 13,   1678,  3240});
    }
    {
        vocabulary_changes changes;
        changes.specials = {"[SUFFIX]", "[PREFIX]"};
        CHECK(!made_vocabulary("llama-spm", changes)->facts().fim);
        changes.name      = "Codestral-22B-v0.1";
        const auto loaded = made_vocabulary("llama-spm", changes);
        CHECK(loaded->facts().fim && loaded->facts().fim->suffix_first);
        CHECK_EQUAL(loaded->facts().fim->middle, no_token);
        CHECK_EQUAL(loaded->facts().fim->prefix, last(*loaded, 1));
        check_prompt("Codestral", fim_prompt(*loaded, " "),
                     {31998, 13,    13,    2158,  29898, 6203, 29898, 29906, 29892, 29871, 29941, 876, 13,   31999, 822,
                      4038,  29898, 29893, 29892, 298,   1125, 13,    1678,  2625,  353,   281,   13,  1678, 3240});
    }
    {
        vocabulary_changes changes;
        changes.pre       = "seed-coder";
        changes.specials  = {"<[fim-suffix]>", "<[fim-prefix]>", "<[fim-middle]>"};
        const auto loaded = made_vocabulary("gpt-2", changes);
        CHECK(loaded->facts().fim && loaded->facts().fim->suffix_first);
        CHECK_EQUAL(loaded->facts().fim->prefix, last(*loaded, 2));
        check_prompt("Seed-Coder", fim_prompt(*loaded),
                     {50254, 628, 4798, 7,   20337, 7,   17,  11,  220,  18,  4008, 198, 50255, 4299, 1989, 7,   86,
                      11,    289, 2599, 198, 50256, 220, 220, 220, 1735, 796, 266,  198, 220,   220,  220,  1005});
    }
    for (const std::string marker : {"<|file_separator|>", "<filename>", "<file_sep>"}) {
        for (const bool control : {true, false}) {
            vocabulary_changes changes;
            changes.specials  = {"<fim_prefix>", "<fim_middle>", "<fim_suffix>", marker};
            changes.control   = control;
            const auto loaded = made_vocabulary("gpt-2", changes);
            CHECK(loaded->facts().fim.has_value());
            CHECK(loaded->ends_file(last(*loaded, 1)));
            CHECK(!loaded->ends_file(100));

            generation_request                             request;
            const vocabulary_index                         index(*loaded);
            const std::function<void(const std::string &)> ignore = [](const std::string &) {
            };
            CHECK(!answer(request, *loaded, index, ignore).is_end(100));
            request.ends_with_file = true;
            CHECK(answer(request, *loaded, index, ignore).is_end(last(*loaded, 1)));
            CHECK(answer(request, *loaded, index, ignore).is_end(last(*loaded, 4)));
            CHECK(!answer(request, *loaded, index, ignore).is_end(100));
        }
    }
}

TEST("a vocabulary that ends llama.cpp's process at two blanks is refused") {
    if (vocabulary_names().empty()) {
        return;
    }
    vocabulary_changes changes;
    changes.pre = "whitespace";
    CHECK_EQUAL(error_code_of([&] { made_vocabulary("gpt-2", changes); }), "unsupportedModel");
}

TEST("a file that says how it pools is refused with the reason") {
    if (vocabulary_names().empty()) {
        return;
    }
    for (const uint32_t type : {1u, 2u, 3u, 4u}) {
        vocabulary_changes changes;
        changes.numbers = {{"gpt2.pooling_type", type}};
        try {
            made_vocabulary("gpt-2", changes);
            CHECK(false);
        } catch (const engine_error & error) {
            CHECK(error.code() == error_code::unsupported_model);
            const std::string reason = type == 4 ? "a reranker" : "an embedding model";
            CHECK(std::string(error.what()).find(reason) != std::string::npos);
        }
    }
}

// Tokenization and healing with the vocabulary files in llama.cpp's source.
#include "check.h"
#include "vocabularies.h"

#include "engine/llama/long_text.h"
#include "engine/text/token_healing.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace inkling;
using inkling_test::error_code_of;
using inkling_test::for_each_vocabulary;
using inkling_test::is_encoder;
using inkling_test::made_vocabulary;
using inkling_test::spelled;
using inkling_test::vocabulary;
using inkling_test::vocabulary_changes;
using inkling_test::vocabulary_file;
using inkling_test::vocabulary_names;

namespace {

std::string file_text(const std::filesystem::path & path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The texts of an ".inp" file.
std::vector<std::string> test_texts(const std::string & name) {
    const std::string        SEPARATOR = "\n__ggml_vocab_test__\n";
    const std::string        all       = file_text(vocabulary_file(name, ".inp"));
    std::vector<std::string> texts;
    for (size_t start = 0; start < all.size();) {
        const size_t end = std::min(all.find(SEPARATOR, start), all.size());
        texts.push_back(all.substr(start, end - start));
        start = end + SEPARATOR.size();
    }
    return texts;
}

// The ids of an ".out" file: one line for each text.
std::vector<std::vector<token_id>> test_ids(const std::string & name) {
    std::vector<std::vector<token_id>> all;
    std::istringstream                 lines(file_text(vocabulary_file(name, ".out")));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream numbers(line);
        all.emplace_back(std::istream_iterator<token_id>(numbers), std::istream_iterator<token_id>());
    }
    return all;
}

std::string repeated(const std::string & unit, size_t characters) {
    std::string text;
    for (size_t i = 0; i < characters; ++i) {
        text += unit;
    }
    return text;
}

struct long_run {
    std::string name;
    std::string text;
};

// 100,000 characters without what a splitter stops at.
const std::vector<long_run> & long_runs() {
    constexpr size_t                   COUNT = 100'000;
    static const std::vector<long_run> runs  = {
         {"small letters", repeated("x", COUNT)},
         {"capitals", repeated("X", COUNT)},
         {"letters beyond ASCII", repeated("\xC3\xA9", COUNT)},
         {"digits", repeated("7", COUNT)},
         {"digits and a letter", repeated("7", COUNT) + "x"},
         {"blanks", repeated(" ", COUNT)},
         {"blanks and a letter", repeated(" ", COUNT) + "x"},
         {"tabs", repeated("\t", COUNT)},
         {"line breaks", repeated("\n", COUNT)},
         {"line breaks and carriage returns", repeated("\r\n", COUNT / 2)},
         {"wide blanks", repeated("\xE3\x80\x80", COUNT)},
         {"Chinese", repeated("\xE7\x95\x8C", COUNT)},
         {"emoji", repeated("\xF0\x9F\x98\x80", COUNT)},
         {"combining marks", "e" + repeated("\xCC\x81", COUNT)},
         {"punctuation", repeated("=", COUNT)},
         {"brackets", repeated("[(", COUNT / 2)},
         {"letters with a blank between each two", repeated("a ", COUNT / 2)},
         {"one line of words", repeated("word ", COUNT / 5)},
    };
    return runs;
}

void check_long_run(const std::string & name, const model & loaded, const long_run & run) {
    const auto        start  = std::chrono::steady_clock::now();
    const auto        tokens = loaded.tokenize(run.text, /*parse_special =*/false);
    const auto        passed = std::chrono::steady_clock::now() - start;
    const std::string back   = loaded.detokenize(tokens, /*special =*/true);
    if (back != run.text) {
        inkling_test::fail(__FILE__, __LINE__, name + ": " + run.name + " come back changed");
    }
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
    if (milliseconds > 500) {
        std::cout << "     " << name << ", " << run.name << ": " << milliseconds << " ms\n";
    }
}

// The largest piece, its longest run of blanks or digits, and whether the pieces are the text.
void check_pieces(const std::string & text) {
    const std::vector<size_t> ends = piece_ends(text);
    CHECK(std::is_sorted(ends.begin(), ends.end()) && ends.back() == text.size());
    CHECK(std::adjacent_find(ends.begin(), ends.end()) == ends.end());
    for (const size_t end : ends) {
        CHECK(end == text.size() || (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80);
    }
}

// The ids that the model's own tokenizer gives, which llama.cpp's source has beside most files.
void check_ids(const std::string & name, const model & loaded) {
    const auto texts = test_texts(name);
    const auto ids   = test_ids(name);
    CHECK(texts.size() <= ids.size());
    for (size_t i = 0; i < std::min(texts.size(), ids.size()); ++i) {
        const std::string blank  = loaded.facts().leading_blank && !texts[i].empty() ? " " : "";
        const auto        tokens = loaded.tokenize(blank + texts[i], /*parse_special =*/false);
        if (tokens != ids[i]) {
            inkling_test::fail(__FILE__, __LINE__,
                               name + ", text " + std::to_string(i) + ": got " + spelled(tokens) + ", expected " +
                                   spelled(ids[i]));
        }
    }
}

// Also a text that begins in the middle of a line.
void check_exact(const std::string & name, const model & loaded) {
    std::vector<std::string> texts = test_texts("gpt-2");
    texts.insert(texts.end(), {"return", " return", "  return x", "\treturn", "\n", "a\n\n\n  b", ");\n}\n"});
    for (const std::string & text : texts) {
        const std::string back = loaded.detokenize(loaded.tokenize(text, /*parse_special =*/false), true);
        if (back != text) {
            inkling_test::fail(__FILE__, __LINE__, name + ": '" + text + "' comes back as '" + back + "'");
        }
    }
}

// Only the tokens after the stable ones may change with what follows.
void check_healing(const std::string & name, const model & loaded) {
    const std::string text =
        "def area(w, h):\n    \"\"\"Area \xC3\xA4\xE7\x95\x8C.\"\"\"\n    return w*h + 12.5\n\n\nx = [1, 2]\n";
    const auto whole    = loaded.tokenize(text, /*parse_special =*/false);
    int        unstable = 0;
    for (size_t typed = 1; typed <= text.size(); ++typed) {
        if (typed < text.size() && (static_cast<unsigned char>(text[typed]) & 0xC0) == 0x80) {
            continue;
        }
        const healed_text healed = heal(loaded, text.substr(0, typed), 8);
        CHECK_EQUAL(loaded.detokenize(healed.stable, true) + healed.rest, text.substr(0, typed));
        unstable += std::equal(healed.stable.begin(), healed.stable.end(), whole.begin()) ? 0 : 1;
    }
    if (unstable > 0) {
        inkling_test::fail(__FILE__, __LINE__, name + ": " + std::to_string(unstable) + " places are not stable");
    }
}

} // namespace

TEST("ordinary text is one piece") {
    const std::string line = "    const value = compute(first, second); // and so on\n";
    for (const std::string & text :
         {std::string(), std::string("x"), line, repeated(line, 5'000), repeated("x", 1'024), repeated(" ", 256)}) {
        CHECK(piece_ends(text) == std::vector<size_t>({text.size()}));
    }
}

TEST("long runs are cut, before a word where there is one, and never inside a character") {
    for (const long_run & run : long_runs()) {
        check_pieces(run.text);
        const std::vector<size_t> ends  = piece_ends(run.text);
        size_t                    start = 0;
        for (const size_t end : ends) {
            CHECK(end - start <= 4 * MOST_UNBROKEN);
            start = end;
        }
    }
    const std::string words = repeated("word ", 1'000);
    for (const size_t end : piece_ends(words)) {
        CHECK(end == words.size() || words[end] == ' ');
    }
    // What stands around a long line stays whole.
    const std::string line = "const value = 1;\n";
    const std::string text = repeated(line, 200) + repeated("x", 2'000) + "\n" + repeated(line, 200);
    const size_t      from = 200 * line.size();
    CHECK(piece_ends(text) == std::vector<size_t>({from, from + 1'024, from + 2'001, text.size()}));
}

TEST("encoders are refused as embedding models") {
    for (const std::string & name : vocabulary_names()) {
        if (is_encoder(name)) {
            CHECK_EQUAL(error_code_of([&] { vocabulary(vocabulary_file(name)); }), "unsupportedModel");
        }
    }
}

TEST(
    "each vocabulary gives its own ids, also in prompts that fill in the middle, keeps any text, heals it at any place "
    "and takes 100,000 unbroken characters") {
    for_each_vocabulary([](const std::string & name, const model & loaded) {
        check_ids(name, loaded);
        inkling_test::check_fim(name, loaded);
        check_exact(name, loaded);
        check_healing(name, loaded);
        for (const long_run & run : inkling_test::scaled(long_runs())) {
            check_long_run(name, loaded, run);
        }
    });
}

TEST("each pre-tokenizer takes 100,000 unbroken characters") {
    size_t tested = 0;
    for (const std::string & pre : inkling_test::scaled(inkling_test::pre_tokenizers())) {
        vocabulary_changes changes;
        changes.pre = pre;
        std::shared_ptr<const model> loaded;
        try {
            loaded = made_vocabulary("gpt-2", changes);
        } catch (const std::exception &) {
            continue; // of another type of vocabulary
        }
        // A quarter of the runs each, another quarter for the next one.
        const auto runs = inkling_test::scaled(long_runs());
        for (size_t i = tested % 4; i < runs.size(); i += 4) {
            loaded->tokenize(runs[i].text, /*parse_special =*/false);
        }
        ++tested;
    }
    std::cout << "     " << tested << " pre-tokenizers\n";
    CHECK(tested > 0 || vocabulary_names().empty());
}

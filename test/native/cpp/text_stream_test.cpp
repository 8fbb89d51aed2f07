#include "check.h"

#include "engine/text/text_stream.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using inkling::incomplete_utf8_suffix;
using inkling::text_stream;

TEST("the suffix counts an incomplete character at the end, and no complete one") {
    CHECK_EQUAL(incomplete_utf8_suffix(""), 0u);
    CHECK_EQUAL(incomplete_utf8_suffix("abc"), 0u);
    CHECK_EQUAL(incomplete_utf8_suffix("\xC3\xA9"), 0u);
    CHECK_EQUAL(incomplete_utf8_suffix("a\xC3"), 1u);
    CHECK_EQUAL(incomplete_utf8_suffix("\xE2\x82"), 2u);
    CHECK_EQUAL(incomplete_utf8_suffix("\xF0\x9F\x98"), 3u);
    CHECK_EQUAL(incomplete_utf8_suffix("\xF0\x9F\x98\x80"), 0u);
    // The stream does not wait for bytes that can never be UTF-8.
    CHECK_EQUAL(incomplete_utf8_suffix("\x80\x80\x80\x80"), 0u);
}

TEST("the stream shows a character that is split over tokens whole and once") {
    text_stream stream({});
    CHECK_EQUAL(stream.append("a\xF0\x9F"), "a");
    CHECK_EQUAL(stream.append("\x98"), "");
    CHECK_EQUAL(stream.append("\x80z"), "\xF0\x9F\x98\x80z");
    CHECK_EQUAL(stream.finish(), "");
}

TEST("the stream holds back a possible start of a stop text until the next text decides") {
    text_stream stream({"\n\n"});
    CHECK_EQUAL(stream.append("one\n"), "one");
    CHECK_EQUAL(stream.append("two"), "\ntwo");
    CHECK_EQUAL(stream.append("\n"), "");
    CHECK_EQUAL(stream.append("\nthree"), "");
    CHECK(stream.stopped());
    CHECK_EQUAL(stream.finish(), "");
}

TEST("the earliest of several stop texts wins, also inside one piece") {
    text_stream stream({"END", "\n"});
    CHECK_EQUAL(stream.append("a\nb END"), "a");
    CHECK(stream.stopped());
    CHECK_EQUAL(stream.append("more"), "");
}

TEST("the end shows harmless held-back text, without an incomplete character") {
    text_stream stream({"<stop>"});
    CHECK_EQUAL(stream.append("x<sto"), "x");
    CHECK_EQUAL(stream.finish(), "<sto");
    text_stream torn({});
    CHECK_EQUAL(torn.append("y\xE2\x82"), "y");
    CHECK_EQUAL(torn.finish(), "");
}

TEST("the stream does not wait for a character that other bytes have broken off") {
    text_stream stream({});
    CHECK_EQUAL(stream.append("\xE2\x82\xF0\xAC\xF0"), "\xE2\x82\xF0\xAC");
    CHECK_EQUAL(stream.finish(), "");
}

TEST("the stream ignores an empty stop text") {
    text_stream stream({""});
    CHECK_EQUAL(stream.append("abc"), "abc");
    CHECK(!stream.stopped());
}

TEST("the stream finds the stop texts that a plain search finds, however pieces and stop texts repeat themselves") {
    // Each text of up to seven letters of two kinds, with each pair of these stop texts, whole and in pieces of two.
    const std::vector<std::string> stops = {"", "a", "b", "ab", "aab", "aba", "abab", "aabaa", "abaab", "bbb"};
    for (unsigned bits = 1; bits < 256; ++bits) {
        std::string text;
        for (unsigned rest = bits; rest > 1; rest /= 2) {
            text += rest % 2 == 0 ? 'a' : 'b';
        }
        for (const std::string & first : stops) {
            for (const std::string & second : stops) {
                size_t expected = std::min(first.empty() ? std::string::npos : text.find(first),
                                           second.empty() ? std::string::npos : text.find(second));
                text_stream whole({first, second});
                std::string shown = whole.append(text);
                shown += whole.finish();
                CHECK_EQUAL(shown, text.substr(0, expected));
                CHECK_EQUAL(whole.stopped(), expected != std::string::npos);

                text_stream in_pieces({first, second});
                shown.clear();
                size_t given = 0;
                while (given < text.size() && !in_pieces.stopped()) {
                    shown += in_pieces.append(std::string_view(text).substr(given, 2));
                    given = std::min(given + 2, text.size());
                }
                expected = std::min(first.empty() ? std::string::npos : text.substr(0, given).find(first),
                                    second.empty() ? std::string::npos : text.substr(0, given).find(second));
                CHECK_EQUAL(in_pieces.stopped(), expected != std::string::npos);
                shown += in_pieces.finish();
                CHECK_EQUAL(shown, text.substr(0, expected));
            }
        }
    }
}

TEST("a huge stop text that nearly matches again and again costs the same for each byte") {
    // To compare it with each end of the text takes 2^46 steps, longer than ctest waits.
    const std::string many(size_t{1} << 23, 'a');
    text_stream       stream({many + "b"});
    CHECK(stream.append(many).empty());
    CHECK(stream.append("c") == many + "c");
    CHECK(stream.append(many + many) == many);
    CHECK_EQUAL(stream.append("b"), "");
    CHECK(stream.stopped());
}

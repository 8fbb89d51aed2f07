#include "check.h"

#include "engine/text/text_stream.h"

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

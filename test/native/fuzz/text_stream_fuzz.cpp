// The stream of text, cut into any pieces and with any stop texts: it shows the bytes in order, each once, up to the
// stop text or the last whole character.
#include "require.h"
#include "starter.h"

#include "engine/text/text_stream.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <string>
#include <vector>

using inkling::incomplete_utf8_suffix;
using inkling::text_stream;

namespace {

struct shown_text {
    std::string given;
    std::string shown;
    size_t      longest_stop = 0;
    bool        whole        = true; // every part that was shown is UTF-8 by itself
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size) {
    FuzzedDataProvider       input(data, size);
    shown_text               text;
    std::vector<std::string> stops;
    for (int count = input.ConsumeIntegralInRange(0, 4); count > 0; --count) {
        stops.push_back(input.ConsumeRandomLengthString(12));
        // Stop texts come from JavaScript, which has only whole characters.
        if (!inkling_fuzz::is_utf8(stops.back())) {
            stops.pop_back();
            continue;
        }
        text.longest_stop = std::max(text.longest_stop, stops.back().size());
    }

    text_stream stream(stops);
    const auto  show = [&](const std::string & part) {
        text.shown += part;
        text.whole = text.whole && inkling_fuzz::is_utf8(part);
    };
    while (input.remaining_bytes() > 0 && !stream.stopped()) {
        const std::string piece = input.ConsumeRandomLengthString(24);
        text.given += piece;
        show(stream.append(piece));
        REQUIRE(text.given.starts_with(text.shown));
        // What waits is the beginning of a stop text, or of a character, or of both.
        REQUIRE(stream.stopped() || text.given.size() - text.shown.size() <= text.longest_stop + 3);
    }
    for (const std::string & stop : stops) {
        REQUIRE(stop.empty() || text.shown.find(stop) == std::string::npos);
    }

    if (stream.stopped()) {
        REQUIRE(stream.append("more").empty());
        REQUIRE(stream.finish().empty());
        const std::string_view rest = std::string_view(text.given).substr(text.shown.size());
        REQUIRE(std::any_of(stops.begin(), stops.end(),
                            [&](const std::string & stop) { return !stop.empty() && rest.starts_with(stop); }));
    } else {
        show(stream.finish());
        REQUIRE(text.given.size() - text.shown.size() == incomplete_utf8_suffix(text.given));
        REQUIRE(text.given.starts_with(text.shown));
    }
    REQUIRE(text.whole || !inkling_fuzz::is_utf8(text.given));
    return 0;
}

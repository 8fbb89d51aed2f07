#include "engine/text/text_stream.h"

#include <algorithm>

namespace inkling {

size_t incomplete_utf8_suffix(std::string_view text) {
    const size_t limit = std::min<size_t>(3, text.size());
    for (size_t back = 1; back <= limit; ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0) == 0x80) {
            continue;
        }
        const size_t length = (byte & 0xE0) == 0xC0 ? 2 : (byte & 0xF0) == 0xE0 ? 3 : (byte & 0xF8) == 0xF0 ? 4 : 1;
        return length > back ? back : 0;
    }
    return 0;
}

int32_t utf16_length(std::string_view bytes) {
    int32_t length = 0;
    for (const char each : bytes) {
        const auto byte = static_cast<unsigned char>(each);
        // Four bytes are a surrogate pair; continuation bytes begin nothing.
        length += (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
    }
    return length;
}

namespace {

// Length of the longest end of text that begins stop.
size_t partial_stop_suffix(std::string_view text, std::string_view stop) {
    for (size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length) {
        if (text.substr(text.size() - length) == stop.substr(0, length)) {
            return length;
        }
    }
    return 0;
}

} // namespace

text_stream::text_stream(std::vector<std::string> stop) : stop_(std::move(stop)) {
    std::erase_if(stop_, [](const std::string & text) { return text.empty(); });
}

std::string text_stream::append(std::string_view bytes) {
    if (stopped_) {
        return {};
    }
    pending_ += bytes;

    size_t end = std::string::npos;
    for (const std::string & stop : stop_) {
        end = std::min(end, pending_.find(stop));
    }
    if (end != std::string::npos) {
        stopped_           = true;
        std::string result = pending_.substr(0, end);
        pending_.clear();
        return result;
    }

    size_t held = incomplete_utf8_suffix(pending_);
    for (const std::string & stop : stop_) {
        held = std::max(held, partial_stop_suffix(pending_, stop));
    }
    std::string result = pending_.substr(0, pending_.size() - held);
    pending_.erase(0, result.size());
    return result;
}

std::string text_stream::finish() {
    std::string result = std::move(pending_);
    pending_.clear();
    result.erase(result.size() - incomplete_utf8_suffix(result));
    return result;
}

} // namespace inkling

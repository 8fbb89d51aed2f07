#include "engine/text/text_stream.h"

#include <algorithm>
#include <utility>

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

text_stream::stop_text::stop_text(std::string bytes) : text(std::move(bytes)), fallback(text.size()) {
    size_t shorter = 0;
    for (size_t length = 1; length < text.size(); ++length) {
        fallback[length] = static_cast<uint32_t>(shorter);
        while (shorter > 0 && text[shorter] != text[length]) {
            shorter = fallback[shorter];
        }
        shorter += text[shorter] == text[length] ? 1 : 0;
    }
}

size_t text_stream::stop_text::find_end(std::string_view bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) {
        while (matched > 0 && text[matched] != bytes[i]) {
            matched = fallback[matched];
        }
        matched += text[matched] == bytes[i] ? 1 : 0;
        if (matched == text.size()) {
            return i + 1;
        }
    }
    return std::string::npos;
}

text_stream::text_stream(std::vector<std::string> stop) {
    for (std::string & text : stop) {
        if (!text.empty()) {
            stop_.emplace_back(std::move(text));
        }
    }
}

std::string text_stream::append(std::string_view bytes) {
    if (stopped_) {
        return {};
    }
    const size_t before = pending_.size();
    pending_ += bytes;

    size_t begin = std::string::npos;
    size_t held  = incomplete_utf8_suffix(pending_);
    for (stop_text & each : stop_) {
        const size_t end = each.find_end(bytes);
        if (end != std::string::npos) {
            begin = std::min(begin, before + end - each.text.size());
        }
        held = std::max(held, each.matched);
    }
    if (begin != std::string::npos) {
        stopped_ = true;
        return std::exchange(pending_, {}).substr(0, begin);
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

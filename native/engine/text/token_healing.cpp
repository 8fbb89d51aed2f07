#include "engine/text/token_healing.h"

#include <cctype>

namespace inkling {

namespace {

enum class byte_class { letter, digit, blank, line_break, other };

byte_class class_of(char byte) {
    const auto value = static_cast<unsigned char>(byte);
    // Every byte of a multi-byte character counts as a letter. Most are letters, and a longer run is only more careful.
    if (std::isalpha(value) || value >= 0x80) {
        return byte_class::letter;
    }
    if (std::isdigit(value)) {
        return byte_class::digit;
    }
    if (byte == '\n' || byte == '\r') {
        return byte_class::line_break;
    }
    if (std::isspace(value)) {
        return byte_class::blank;
    }
    return byte_class::other;
}

bool is_space(byte_class value) {
    return value == byte_class::blank || value == byte_class::line_break;
}

} // namespace

size_t unstable_suffix(std::string_view text) {
    if (text.empty()) {
        return 0;
    }
    size_t     start = text.size();
    const auto last  = class_of(text.back());
    if (is_space(last)) {
        // Blanks and line breaks merge with each other and with what follows, and line breaks with punctuation before.
        while (start > 0 && is_space(class_of(text[start - 1]))) {
            --start;
        }
        if (text.find_first_of("\r\n", start) != std::string_view::npos) {
            while (start > 0 && class_of(text[start - 1]) == byte_class::other) {
                --start;
            }
        }
        return text.size() - start;
    }
    while (start > 0 && class_of(text[start - 1]) == last) {
        --start;
    }
    // One character before a word may be joined to it: a blank always, punctuation before letters.
    if (start > 0 &&
        (text[start - 1] == ' ' || (last == byte_class::letter && class_of(text[start - 1]) == byte_class::other))) {
        --start;
    }
    return text.size() - start;
}

healed_text heal(const model & loaded, std::string_view text, int32_t max_rest_tokens) {
    healed_text result;
    result.stable       = loaded.tokenize(text, /*parse_special =*/false);
    const size_t target = unstable_suffix(text);
    size_t       moved  = 0;
    while (moved < target && !result.stable.empty() &&
           static_cast<int32_t>(result.rest_tokens.size()) < max_rest_tokens) {
        const token_id    token = result.stable.back();
        const std::string piece = loaded.piece(token, /*special =*/false);
        result.stable.pop_back();
        result.rest_tokens.insert(result.rest_tokens.begin(), token);
        result.rest.insert(0, piece);
        moved += piece.size();
    }
    return result;
}

} // namespace inkling

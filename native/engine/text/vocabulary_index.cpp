#include "engine/text/vocabulary_index.h"

#include <algorithm>

namespace inkling {

vocabulary_index::vocabulary_index(const model & loaded) {
    const int32_t count = loaded.facts().vocabulary_size;
    pieces_.reserve(static_cast<size_t>(count));
    for (token_id token = 0; token < count; ++token) {
        pieces_.push_back(loaded.is_special(token) ? std::string() : loaded.piece(token, /*special =*/false));
        if (!pieces_.back().empty()) {
            sorted_.push_back(token);
        }
    }
    // Bytes compare as unsigned; std::string's order does that.
    std::sort(sorted_.begin(), sorted_.end(), [this](token_id left, token_id right) {
        const int order = pieces_[static_cast<size_t>(left)].compare(pieces_[static_cast<size_t>(right)]);
        return order != 0 ? order < 0 : left < right;
    });
}

std::pair<size_t, size_t> vocabulary_index::run(std::string_view bytes) const {
    const auto head = [&](token_id token) {
        return piece(token).substr(0, bytes.size());
    };
    const auto first =
        std::partition_point(sorted_.begin(), sorted_.end(), [&](token_id token) { return head(token) < bytes; });
    const auto last = std::partition_point(first, sorted_.end(), [&](token_id token) { return head(token) <= bytes; });
    return {static_cast<size_t>(first - sorted_.begin()), static_cast<size_t>(last - sorted_.begin())};
}

void vocabulary_index::compatible_tokens(std::string_view bytes, std::vector<token_id> & result) const {
    result.clear();
    for (size_t length = 1; length < bytes.size(); ++length) {
        const std::string_view part = bytes.substr(0, length);
        const auto [first, last]    = run(part);
        if (first == last) {
            // No token begins with these bytes, so none begins with more of them.
            return;
        }
        for (size_t i = first; i < last && piece(sorted_[i]).size() == length; ++i) {
            result.push_back(sorted_[i]);
        }
    }
    const auto [first, last] = run(bytes);
    result.insert(result.end(), sorted_.begin() + static_cast<std::ptrdiff_t>(first),
                  sorted_.begin() + static_cast<std::ptrdiff_t>(last));
}

uint64_t vocabulary_index::bytes() const {
    uint64_t total = sorted_.capacity() * sizeof(token_id) + pieces_.capacity() * sizeof(std::string);
    for (const std::string & piece : pieces_) {
        // Short strings live inside the object.
        total += piece.capacity() > 15 ? piece.capacity() + 1 : 0;
    }
    return total;
}

} // namespace inkling

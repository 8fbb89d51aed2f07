#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace inkling {

// Turns token pieces (raw bytes) into text that is safe to show: whole UTF-8 characters only, and nothing that may be
// the beginning of a stop text.
class text_stream {
  public:
    // Stop texts are UTF-8.
    explicit text_stream(std::vector<std::string> stop);

    // What may be shown now, possibly empty. After a stop text was found, always empty.
    std::string append(std::string_view bytes);
    // What was held back, at the end of the generation; an incomplete character is dropped.
    std::string finish();

    bool stopped() const { return stopped_; }

  private:
    // Found as Knuth, Morris and Pratt do: whatever the texts are, each byte costs the same.
    struct stop_text {
        std::string           text;
        // By how many of its bytes match: how many match still where the next byte is another one.
        std::vector<uint32_t> fallback;
        size_t                matched = 0; // the longest end of what was appended that begins it

        explicit stop_text(std::string bytes);
        // Where the text ends in `bytes`, which follow what was appended before; npos if it does not.
        size_t find_end(std::string_view bytes);
    };

    std::vector<stop_text> stop_;
    std::string            pending_;
    bool                   stopped_ = false;
};

// UTF-16 units of the characters that begin in bytes, which may hold parts of characters.
int32_t utf16_length(std::string_view bytes);

// Bytes at the end of text that belong to a UTF-8 character which is not complete yet, 0 to 3.
size_t incomplete_utf8_suffix(std::string_view text);

} // namespace inkling

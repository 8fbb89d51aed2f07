#include "engine/llama/long_text.h"

#include <algorithm>
#include <cctype>

namespace inkling {

namespace {

bool is_blank(char byte) {
    return std::isspace(static_cast<unsigned char>(byte)) != 0;
}

bool is_digit(char byte) {
    return std::isdigit(static_cast<unsigned char>(byte)) != 0;
}

bool starts_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

bool ends_line(char byte) {
    return byte == '\n' || byte == '\r';
}

// A line begins that is not blank. Only blanks match across it.
bool is_break(std::string_view text, size_t at) {
    if (at == 0 || !ends_line(text[at - 1])) {
        return false;
    }
    while (at < text.size() && is_blank(text[at]) && !ends_line(text[at])) {
        ++at;
    }
    return at < text.size() && !ends_line(text[at]);
}

bool is_word_start(std::string_view text, size_t at) {
    return at > 0 && text[at] == ' ' && !is_blank(text[at - 1]) && at + 1 < text.size() && !is_blank(text[at + 1]);
}

// Counts the blanks or digits that end where it was last moved to.
class run_counter {
  public:
    size_t length() const { return length_; }

    void move_over(char byte) {
        const char kind = is_blank(byte) ? ' ' : is_digit(byte) ? '0' : '\0';
        length_         = kind == '\0' ? 0 : kind == kind_ ? length_ + 1 : 1;
        kind_           = kind;
    }

  private:
    char   kind_   = '\0';
    size_t length_ = 0;
};

// A stretch is the text between two breaks.
struct stretch {
    size_t end     = 0;
    bool   is_long = false;
};

stretch stretch_from(std::string_view text, size_t start) {
    stretch     found;
    run_counter run;
    size_t      characters = 0;
    size_t      at         = start;
    for (; at < text.size() && (at == start || !is_break(text, at)); ++at) {
        characters += starts_character(text[at]) ? 1 : 0;
        run.move_over(text[at]);
        found.is_long = found.is_long || characters > MOST_UNBROKEN || run.length() > LONGEST_RUN;
    }
    found.end = at;
    return found;
}

void cut_stretch(std::string_view text, size_t start, size_t end, std::vector<size_t> & ends) {
    run_counter run;
    size_t      characters = 0;
    size_t      word       = start; // the last place in the second half of the piece where a word starts
    for (size_t at = start; at < end; ++at) {
        const bool whole_characters = starts_character(text[at]);
        if (whole_characters && (characters == MOST_UNBROKEN || run.length() == LONGEST_RUN)) {
            // A word that began in the first half is cut.
            const size_t cut = characters == MOST_UNBROKEN && word > start ? word : at;
            ends.push_back(cut);
            start = word = at = cut;
            characters        = 0;
            run               = {};
        }
        if (characters >= MOST_UNBROKEN / 2 && is_word_start(text, at)) {
            word = at;
        }
        characters += whole_characters ? 1 : 0;
        run.move_over(text[at]);
    }
    ends.push_back(end);
}

} // namespace

std::vector<size_t> piece_ends(std::string_view text) {
    std::vector<size_t> ends;
    size_t              piece = 0;
    for (size_t start = 0; start < text.size();) {
        const stretch next = stretch_from(text, start);
        if (next.is_long) {
            if (start > piece) {
                ends.push_back(start);
            }
            cut_stretch(text, start, next.end, ends);
            piece = next.end;
        }
        start = next.end;
    }
    if (piece < text.size() || ends.empty()) {
        ends.push_back(text.size());
    }
    return ends;
}

} // namespace inkling

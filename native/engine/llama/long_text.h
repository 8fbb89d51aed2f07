#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace inkling {

// Where a text is cut before llama.cpp tokenizes it: the ends of the pieces, ascending; the last one is text.size().
//
// llama.cpp splits words with std::regex for most pre-tokenizers. libstdc++'s recurses for each character of a match,
// so some 26,000 unbroken characters overflow an 8 MB stack, and some expressions look at the rest of a run again from
// each of its characters. Ordinary text is one piece. Only where no line begins for MOST_UNBROKEN characters, or a run
// of blanks or digits is longer than LONGEST_RUN, are there more; before a word if possible, never inside a character.
std::vector<size_t> piece_ends(std::string_view text);

constexpr size_t MOST_UNBROKEN = 1024;
constexpr size_t LONGEST_RUN   = 256;

} // namespace inkling

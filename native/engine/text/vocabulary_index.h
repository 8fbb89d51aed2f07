#pragma once

#include "engine/llama/model.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inkling {

// The ordinary tokens of the vocabulary, sorted by their bytes. All tokens that begin with the same bytes are one run.
// Immutable, so any thread may read it.
class vocabulary_index {
  public:
    explicit vocabulary_index(const model & loaded);

    // Tokens that may come next if `bytes` must be written next: those that begin with `bytes`, and those that `bytes`
    // begin with. Precondition: bytes is not empty.
    void             compatible_tokens(std::string_view bytes, std::vector<token_id> & result) const;
    // Raw bytes of a token; empty for special tokens.
    std::string_view piece(token_id token) const { return pieces_[static_cast<size_t>(token)]; }

    uint64_t bytes() const;

  private:
    // Tokens whose first bytes.size() bytes equal bytes, as a range of sorted_.
    std::pair<size_t, size_t> run(std::string_view bytes) const;

    std::vector<std::string> pieces_; // by token
    std::vector<token_id>    sorted_; // without those of no bytes
};

} // namespace inkling

// The index finds each token that can come next, once, and no other.
#include "require.h"
#include "starter.h"

#include <string>
#include <string_view>
#include <vector>

using namespace inkling;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string        bytes(reinterpret_cast<const char *>(data), size);
    const vocabulary_index & index = inkling_fuzz::starter_index();
    std::vector<token_id>    found;
    index.compatible_tokens(bytes, found);

    static std::vector<bool> is_found(static_cast<size_t>(inkling_fuzz::starter_vocabulary().facts().vocabulary_size));
    for (const token_id token : found) {
        REQUIRE(inkling_fuzz::starter_vocabulary().is_token(token));
        REQUIRE(!is_found[static_cast<size_t>(token)]);
        is_found[static_cast<size_t>(token)] = true;
    }
    for (size_t i = 0; i < is_found.size(); ++i) {
        const std::string_view piece = index.piece(static_cast<token_id>(i));
        const bool             fits  = !piece.empty() && (piece.starts_with(bytes) || bytes.starts_with(piece));
        REQUIRE(is_found[i] == fits);
        is_found[i] = false;
    }
    return 0;
}

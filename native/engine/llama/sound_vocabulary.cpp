#include "engine/llama/sound_vocabulary.h"

#include "engine/base/error.h"

#include "gguf.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inkling {

namespace {

// Each is several times what any model has.
constexpr uint64_t MOST_TOKENS   = 1 << 20;
constexpr uint64_t MOST_MERGES   = 1 << 21;
// In bytes. llama.cpp's tries recurse once for each of them.
constexpr uint64_t LONGEST_TOKEN = 4096;
// llama.cpp writes a token's text again for each of its characters that stands for no byte.
constexpr uint64_t MOST_SQUARES  = 1 << 28;
// A trie has a node of some hundred bytes for each byte of a token.
constexpr uint64_t MOST_IN_TRIE  = 1 << 23;
// PLaMo's tokenizer looks at each piece of each end of a token.
constexpr uint64_t MOST_CUBES    = 1 << 30;

// An array of texts; none where the file has none of this name, or something else.
class text_array {
  public:
    text_array(const gguf_context * context, const char * key) : context_(context), id_(gguf_find_key(context, key)) {
        if (id_ >= 0 && (gguf_get_kv_type(context, id_) != GGUF_TYPE_ARRAY ||
                         gguf_get_arr_type(context, id_) != GGUF_TYPE_STRING)) {
            id_ = -1;
        }
    }

    bool     exists() const { return id_ >= 0; }
    uint64_t size() const { return exists() ? gguf_get_arr_n(context_, id_) : 0; }

    // As llama.cpp reads it: up to the first zero.
    std::string_view operator[](uint64_t index) const { return gguf_get_arr_str(context_, id_, index); }

    bool contains(std::string_view text) const {
        uint64_t index = 0;
        while (index < size() && (*this)[index] != text) {
            ++index;
        }
        return index < size();
    }

  private:
    const gguf_context * context_;
    int64_t              id_;
};

engine_error damaged(const std::string & path, const std::string & what) {
    return engine_error(error_code::truncated_file,
                        path + " is incomplete or damaged: its vocabulary has " + what + ". Download it again");
}

uint64_t count_characters(std::string_view text) {
    uint64_t count = 0;
    for (const char byte : text) {
        count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80 ? 1 : 0;
    }
    return count;
}

void require_short_tokens(const text_array & tokens, const std::string & tokenizer, const std::string & path) {
    uint64_t bytes   = 0;
    uint64_t squares = 0;
    uint64_t cubes   = 0;
    for (uint64_t i = 0; i < tokens.size(); ++i) {
        const uint64_t length = tokens[i].size();
        if (length > LONGEST_TOKEN) {
            throw damaged(path, "a token of " + std::to_string(length) + " bytes, more than " +
                                    std::to_string(LONGEST_TOKEN));
        }
        bytes += length;
        squares += length * length;
        if (tokenizer == "plamo2") {
            const uint64_t characters = count_characters(tokens[i]);
            cubes += characters * characters * characters;
        }
    }
    const bool builds_trie = tokenizer == "t5" || tokenizer == "rwkv";
    if (squares > MOST_SQUARES || cubes > MOST_CUBES || (builds_trie && bytes > MOST_IN_TRIE)) {
        throw damaged(path, "too many long tokens");
    }
}

// What RWKV's vocabulary writes with a backslash.
struct first_byte {
    unsigned char value = 0;
    bool          alone = false; // nothing follows
};

std::optional<first_byte> first_byte_of(std::string_view token) {
    const auto digit = [&](size_t at) {
        // As llama.cpp reads it, whatever stands there.
        const char c = token[at];
        return static_cast<unsigned char>(c >= 'a' ? c - 'a' + 10 : c - '0');
    };
    if (token.empty() || token == "\\") {
        return std::nullopt;
    }
    if (token[0] != '\\') {
        return first_byte{static_cast<unsigned char>(token[0]), token.size() == 1};
    }
    switch (token[1]) {
        case 't': return first_byte{'\t', token.size() == 2};
        case 'n': return first_byte{'\n', token.size() == 2};
        case 'r': return first_byte{'\r', token.size() == 2};
        case 'x':
            if (token.size() < 4) {
                return std::nullopt;
            }
            return first_byte{static_cast<unsigned char>((digit(2) << 4) + digit(3)), token.size() == 4};
        default: return first_byte{static_cast<unsigned char>(token[1]), token.size() == 2};
    }
}

// RWKV's tokenizer starts again from the beginning, and never ends, where a token begins as the text does and no token
// is what both have in common.
void require_single_bytes(const text_array & tokens, const std::string & path) {
    std::array<bool, 256> begins{};
    std::array<bool, 256> single{};
    for (uint64_t i = 0; i < tokens.size(); ++i) {
        if (const auto first = first_byte_of(tokens[i])) {
            begins[first->value] = true;
            single[first->value] = single[first->value] || first->alone;
        }
    }
    if (begins != single) {
        throw damaged(path, "tokens that begin with a byte that is no token itself");
    }
}

// llama.cpp changes how these tokens are read in each model whose name has one of the texts, and gives only
// "unordered_map::at" as the reason where a vocabulary lacks one.
constexpr std::string_view PHI_3_NAMES[]  = {"phi-3", "phi3"};
constexpr std::string_view PHI_3_TOKENS[] = {"</s>", "<unk>", "<s>", "<|endoftext|>"};

void require_tokens_of_name(std::string name, const text_array & tokens, const std::string & path) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    for (const std::string_view phi : PHI_3_NAMES) {
        if (name.find(phi) == std::string::npos) {
            continue;
        }
        for (const std::string_view token : PHI_3_TOKENS) {
            if (!tokens.contains(token)) {
                throw engine_error(error_code::unsupported_model,
                                   path + " cannot be loaded: its name has '" + std::string(phi) +
                                       "' in it, and its vocabulary has no token '" + std::string(token) +
                                       "' as that of Phi-3. Choose another model");
            }
        }
    }
}

} // namespace

void require_sound_vocabulary(const gguf_context * context, const std::string & tokenizer, const std::string & name,
                              const std::string & path) {
    const text_array tokens(context, "tokenizer.ggml.tokens");
    if (!tokens.exists() || tokenizer == "none" || tokenizer == "no_vocab") {
        return;
    }
    if (tokenizer == "test") {
        throw engine_error(error_code::unsupported_model,
                           path + " cannot complete code: its vocabulary is one of llama.cpp's tests");
    }
    if (tokens.size() == 0) {
        throw damaged(path, "no tokens");
    }
    const uint64_t merges = text_array(context, "tokenizer.ggml.merges").size();
    if (tokens.size() > MOST_TOKENS || merges > MOST_MERGES) {
        throw damaged(path, std::to_string(tokens.size()) + " tokens and " + std::to_string(merges) + " merges");
    }
    require_short_tokens(tokens, tokenizer, path);
    require_tokens_of_name(name, tokens, path);
    if (tokenizer == "rwkv") {
        require_single_bytes(tokens, path);
    }
}

} // namespace inkling

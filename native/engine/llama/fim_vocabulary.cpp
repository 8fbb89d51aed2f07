#include "engine/llama/fim_vocabulary.h"

#include "llama.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace inkling {

namespace {

// Markers of StarCoder and its descendants, Granite, Mellum, Refact, CodeGemma, Qwen.
constexpr std::string_view FILE_MARKERS[] = {
    "<file_sep>",    "<|file_sep|>",    "<|file_separator|>", "<filename>", "<file_name>",
    "<repo_name>",   "<|repo_name|>",   "<reponame>",         "<gh_stars>", "<|fim_repo|>",
    "<issue_start>", "<commit_before>", "<jupyter_start>",    "<pr>",
};

// server/src/models/gguf/fim-vocabulary.ts has the same families.
struct family {
    std::string_view prefix;
    std::string_view suffix;
    std::string_view middle; // empty: none
    // Other models have these tokens too, and were not trained to use them; empty: none has.
    std::string_view name;
};

constexpr family FAMILIES[] = {
    {"<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>", ""}, // Seed-Coder, Zeta 2
    {"[PREFIX]", "[SUFFIX]", "", "codestral"},
};

// The first token with this text; no_token if there is none.
token_id find(const llama_vocab * vocab, std::string_view text) {
    const int32_t count = llama_vocab_n_tokens(vocab);
    for (token_id token = 0; token < count && !text.empty(); ++token) {
        if (llama_vocab_get_text(vocab, token) == text) {
            return token;
        }
    }
    return no_token;
}

bool names_family(std::string name, std::string_view family_name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return name.find(family_name) != std::string::npos;
}

} // namespace

std::optional<fim_tokens> find_fim_tokens(const llama_vocab * vocab, const std::vector<std::string> & names) {
    fim_tokens fim;
    fim.prefix   = llama_vocab_fim_pre(vocab);
    fim.suffix   = llama_vocab_fim_suf(vocab);
    fim.middle   = llama_vocab_fim_mid(vocab);
    fim.pad      = llama_vocab_fim_pad(vocab);
    fim.repo     = llama_vocab_fim_rep(vocab);
    fim.file_sep = llama_vocab_fim_sep(vocab);
    if (fim.prefix != no_token && fim.suffix != no_token && fim.middle != no_token) {
        return fim;
    }
    for (const family & each : FAMILIES) {
        if (std::none_of(names.begin(), names.end(),
                         [&](const std::string & name) { return names_family(name, each.name); })) {
            continue;
        }
        fim.prefix = find(vocab, each.prefix);
        fim.suffix = find(vocab, each.suffix);
        fim.middle = find(vocab, each.middle);
        if (fim.prefix != no_token && fim.suffix != no_token && (fim.middle != no_token || each.middle.empty())) {
            fim.suffix_first = true;
            return fim;
        }
    }
    return std::nullopt;
}

std::vector<token_id> find_file_markers(const llama_vocab * vocab) {
    std::vector<token_id> markers;
    for (token_id token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
        const std::string_view text = llama_vocab_get_text(vocab, token);
        if (text.starts_with('<') &&
            std::find(std::begin(FILE_MARKERS), std::end(FILE_MARKERS), text) != std::end(FILE_MARKERS)) {
            markers.push_back(token);
        }
    }
    return markers;
}

} // namespace inkling

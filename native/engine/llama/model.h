#pragma once

#include "engine/base/tokens.h"
#include "engine/llama/fim_vocabulary.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct llama_model;
struct llama_vocab;

namespace inkling {

struct model_facts {
    std::string path;
    std::string name;
    std::string architecture;
    std::string quantization;
    uint64_t    file_bytes              = 0;
    uint64_t    weights_bytes           = 0;
    uint64_t    parameter_count         = 0;
    int32_t     layer_count             = 0;
    int32_t     mtp_layer_count         = 0;
    int32_t     embedding_length        = 0;
    int32_t     vocabulary_size         = 0;
    int32_t     training_context_length = 0;
    bool        recurrent               = false;
    // A GPU computes every layer.
    bool        all_on_gpu              = false;
    // The weights of the MTP block were loaded with those of the trunk.
    bool        mtp_loaded              = false;
    uint64_t    mtp_bytes               = 0;
    // What llama.cpp's tables of tokens and merges take, estimated from their layout.
    uint64_t    vocabulary_bytes        = 0;

    std::optional<fim_tokens> fim;

    token_id                   bos_token     = no_token;
    bool                       add_bos       = false;
    // The model was trained with a blank before each text. tokenize adds none; the maker of a prompt may.
    bool                       leading_blank = false;
    std::optional<std::string> chat_template;
};

struct model_load_params {
    std::string                path;
    int32_t                    gpu_layers = -1;
    // ggml's name of the one device that gets these layers, such as Vulkan0; empty takes every GPU that ggml knows.
    std::string                device;
    bool                       require_fim     = true;
    // Load the MTP block where there is one.
    bool                       mtp             = true;
    // Reads the header only and allocates no weights: contexts on it can be measured, not used.
    bool                       simulate        = false;
    // Reads the vocabulary only: the model can tokenize, and has no weights.
    bool                       vocabulary_only = false;
    // Fraction from 0 to 1; returning false cancels the load.
    std::function<bool(float)> on_progress;
};

// The weights and the vocabulary. Immutable after load, so tokenize and the like may be called from any thread.
class model {
  public:
    // Throws engine_error: file_not_found, not_gguf, truncated_file, unsupported_model, no_fim_tokens, load_cancelled,
    // load_failed, device_failed where there is no such device.
    static std::shared_ptr<model> load(const model_load_params & params);

    model(const model &)             = delete;
    model & operator=(const model &) = delete;

    const model_facts & facts() const { return facts_; }
    llama_model *       handle() const { return handle_.get(); }

    // The tokens of exactly this text, which is UTF-8; none adds a blank. llama.cpp throws std::invalid_argument for
    // some other bytes. Without parse_special, text that spells a special token stays text. Any length takes linear
    // time.
    std::vector<token_id> tokenize(std::string_view text, bool parse_special) const;
    // Raw bytes: a token may end inside a UTF-8 character.
    std::string           piece(token_id token, bool special) const;
    std::string           detokenize(const std::vector<token_id> & tokens, bool special) const;
    bool                  is_end(token_id token) const;
    // A token that stands for no text: FIM, end of text and the like.
    bool                  is_special(token_id token) const;
    // A special token, or one that begins another file in the model's training: no text of this file.
    bool                  ends_file(token_id token) const;
    bool                  is_token(int64_t token) const { return token >= 0 && token < facts_.vocabulary_size; }

  private:
    struct deleter {
        void operator()(llama_model * handle) const;
    };

    explicit model(std::unique_ptr<llama_model, deleter> handle);
    // Appends the tokens of a text that llama.cpp can take as a whole.
    void tokenize_piece(std::string_view text, bool parse_special, std::vector<token_id> & tokens) const;

    std::unique_ptr<llama_model, deleter> handle_;
    const llama_vocab *                   vocab_ = nullptr;
    model_facts                           facts_;
    std::vector<token_id>                 file_markers_;
};

} // namespace inkling

#pragma once

#include "engine/base/error.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace inkling {

// What a GGUF file says about itself before anything is loaded. Sizes are those of all files of a split model.
struct gguf_header {
    // The files in order; one unless the model is split.
    std::vector<std::string> paths;
    std::string              architecture;
    std::string              name;
    uint64_t                 file_bytes   = 0;
    uint64_t                 tensor_bytes = 0;
    uint64_t                 mtp_bytes    = 0; // of tensor_bytes, those of the MTP blocks
    int64_t                  tensor_count = 0;

    // Hyper-parameters; 0 where the file does not state one.
    int64_t                block_count      = 0; // MTP blocks among them
    int64_t                embedding_length = 0;
    int64_t                context_length   = 0; // of the training
    int64_t                head_count       = 0; // of the attention layer that has most
    int64_t                key_length       = 0;
    int64_t                value_length     = 0;
    int64_t                token_count      = 0; // of the vocabulary
    int64_t                merge_count      = 0;
    // How the model makes one vector of a text: above 0 for embedding models, POOLING_RANK for rerankers.
    int64_t                pooling_type     = 0;
    // The vocabulary knows no blanks, as only those of embedding models. Two in a row end llama.cpp's process.
    bool                   lacks_blanks     = false;
    // The model was trained with a blank before each text (SentencePiece's dummy prefix).
    bool                   leading_blank    = false;
    // The file states that positions rotate nothing, as models do that know positions in another way.
    bool                   rotates_nothing  = false;
    // Pairs of dimensions that each part of a position rotates (rope.dimension_sections).
    std::array<int32_t, 4> rotated_sections = {};
};

constexpr int64_t POOLING_RANK = 4; // LLAMA_POOLING_TYPE_RANK

// The error of a file whose header has numbers that no model has.
engine_error impossible_numbers(const std::string & path);

// Reads only the headers and checks that every tensor lies within its file. The path is UTF-8.
// Throws engine_error: file_not_found, not_gguf (wrong magic, no architecture), truncated_file.
gguf_header read_gguf_header(const std::string & path);

} // namespace inkling

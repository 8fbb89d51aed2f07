#pragma once

#include "engine/llama/model.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace inkling_test {

// Names of the vocabulary files in llama.cpp's source ("starcoder"); empty if the source at hand has none.
std::vector<std::string> vocabulary_names();

// The file of llama.cpp's source, and the texts and ids beside it (".inp", ".out").
std::filesystem::path vocabulary_file(const std::string & name, const std::string & extension = "");

// A model without weights. Precondition: the file is of a text decoder.
std::shared_ptr<const inkling::model> vocabulary(const std::filesystem::path & file);

// Pre-tokenizers that llama.cpp's source names.
std::vector<std::string> pre_tokenizers();

// Whether it is the vocabulary of an encoder, which no text is generated with.
bool is_encoder(const std::string & name);

// Calls body with the name of each vocabulary of a text decoder, and the vocabulary.
void for_each_vocabulary(const std::function<void(const std::string &, const inkling::model &)> & body);

// The ids that this vocabulary gives for a text in parts, and its prompt that fills in the middle
// (fim_vocabulary_test.cpp). Loading the vocabularies is most of these tests' time, so that vocabulary_test calls it.
void check_fim(const std::string & name, const inkling::model & loaded);

// "1 2 3"
std::string spelled(const std::vector<inkling::token_id> & tokens);

// A vocabulary for families whose vocabulary is not in llama.cpp's source: another one, with changes.
struct vocabulary_changes {
    std::string              pre;  // tokenizer.ggml.pre; empty keeps it
    std::string              name; // general.name; empty keeps it
    // Special tokens in place of the last ones. Ids ascend in this order.
    std::vector<std::string> specials;
    bool                     control = true; // otherwise ordinary tokens, as in files that mark them wrongly
    // Any other keys of 32-bit numbers.
    std::vector<std::pair<std::string, uint32_t>> numbers;
};

// Loads a changed vocabulary.
std::shared_ptr<const inkling::model> made_vocabulary(const std::string & base, const vocabulary_changes & changes);

} // namespace inkling_test

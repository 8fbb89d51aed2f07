#pragma once

#include "engine/llama/model.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace inkling_test {

// Architectures with a tiny model: attention only, recurrent only, and the hybrids. Those with an MTP block end in
// "+mtp", and the one whose attention has a sliding window in "+window".
const std::vector<std::string> & tiny_architectures();

// A model of a few layers with seeded random weights and the starter model's vocabulary. Its output is no language. It
// varies, depends on the whole context and sometimes ends. After a while it falls into loops, so that drafts are found
// and accepted. `weights` is the type of most matrices, as named in ggml. Each program loads a model once, from
// tiny_model_file().
std::shared_ptr<const inkling::model> tiny_model(const std::string & architecture,
                                                 const std::string & weights = "q4_K");

// Writes a tiny model with the tokenizer of the model file tokenizer_from. Throws std::runtime_error.
void write_tiny_model(const std::string & architecture, const std::string & weights, const std::string & tokenizer_from,
                      const std::filesystem::path & output);

// The file of a tiny model, in a folder that all test programs of a build share. Makes the file if it is missing. The
// environment variable INKLING_TINY_MODELS names another folder. Each version of the models has its own folder below
// it.
std::filesystem::path tiny_model_file(const std::string & architecture, const std::string & weights);

// Makes the files that several test files load, and removes other versions.
void write_tiny_models(const std::string & tokenizer_from);

// Frees the loaded models. Call it before the program ends, as the backend's static state must outlive models.
void release_tiny_models();

} // namespace inkling_test

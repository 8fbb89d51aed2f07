#pragma once

#include "engine/llama/model.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace inkling_test {

// Architectures of which a tiny model can be made: attention only, recurrent only, and the hybrids. Those with an MTP
// block have "+mtp" behind the name.
const std::vector<std::string> & tiny_architectures();

// A model of a few layers with seeded random weights and the starter model's vocabulary. Its output is no language, but
// it varies, depends on the whole context, falls into loops after a while (so that drafts are found and accepted) and
// sometimes ends. weights is the type of most matrices, as ggml spells it. Loaded once per program, from
// tiny_model_file().
std::shared_ptr<const inkling::model> tiny_model(const std::string & architecture,
                                                 const std::string & weights = "q4_K");

// Writes such a model, with the tokenizer of the model file tokenizer_from. Throws std::runtime_error.
void write_tiny_model(const std::string & architecture, const std::string & weights, const std::string & tokenizer_from,
                      const std::filesystem::path & output);

// The file of such a model, in the folder that all test programs of a build share; made if it is not there yet. The
// environment's INKLING_TINY_MODELS names another folder. Below it each version of the models has a folder of its own.
std::filesystem::path tiny_model_file(const std::string & architecture, const std::string & weights);

// Makes the files that several test files load, and removes those of other versions.
void write_tiny_models(const std::string & tokenizer_from);

// Frees those that were made. Called before the program ends, as the backend's static state must outlive models.
void release_tiny_models();

} // namespace inkling_test

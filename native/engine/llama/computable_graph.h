#pragma once

#include <string>

struct ggml_cgraph;
struct llama_model;

namespace inkling {

// Refuses a graph in which a weight has a type that its operation cannot be computed with. llama.cpp loads such a file,
// and the first computation ends the process. `path` is the file's.
// Throws engine_error: unsupported_model.
void require_computable(ggml_cgraph * graph, const llama_model * model, const std::string & path);

} // namespace inkling

#pragma once

#include <string>

struct gguf_context;

namespace inkling {

// Refuses a vocabulary that llama.cpp takes, and with which it then never returns, takes gigabytes or ends the process,
// and one that it refuses without a reason.
// `tokenizer` is its kind, tokenizer.ggml.model; `name` is the model's, general.name.
// Throws engine_error: truncated_file, unsupported_model.
void require_sound_vocabulary(const gguf_context * context, const std::string & tokenizer, const std::string & name,
                              const std::string & path);

} // namespace inkling

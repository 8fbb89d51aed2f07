#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace inkling {

// Reads over the keys of a GGUF file and refuses those that would take hundreds of megabytes: llama.cpp keeps all of
// them, and a text of an array takes several times its place in the file. `stream` stands behind the count of the keys.
// What is no header is left to llama.cpp.
// Throws engine_error: truncated_file.
void require_small_header(std::istream & stream, int64_t key_count, const std::string & path);

} // namespace inkling

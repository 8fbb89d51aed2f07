#pragma once

#include <stdexcept>
#include <string>

namespace inkling {

// The closed list of server/protocol/engine-error.ts; to_string gives the spelling used there.
enum class error_code {
    invalid_argument,
    file_not_found,
    not_gguf,
    truncated_file,
    unsupported_model,
    no_fim_tokens,
    out_of_memory,
    load_failed,
    load_cancelled,
    already_loaded,
    not_loaded,
    closed,
    prompt_too_long,
    decode_failed,
    device_failed,
    device_lost,
    internal,
};

const char * to_string(error_code code);

// The message is written for the user and names the file, the argument or the number at fault.
class engine_error : public std::runtime_error {
  public:
    engine_error(error_code code, const std::string & message) : std::runtime_error(message), code_(code) {}

    error_code code() const { return code_; }

  private:
    error_code code_;
};

// Whether a GPU failed, so that everything on it is in doubt.
bool is_device_failure(const std::exception & error);

// The exception being handled, as an engine_error. Call it inside a catch block.
engine_error current_error();

} // namespace inkling

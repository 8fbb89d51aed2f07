#include "engine/base/error.h"

#include <new>

namespace inkling {

const char * to_string(error_code code) {
    switch (code) {
        case error_code::invalid_argument: return "invalidArgument";
        case error_code::file_not_found: return "fileNotFound";
        case error_code::not_gguf: return "notGguf";
        case error_code::truncated_file: return "truncatedFile";
        case error_code::unsupported_model: return "unsupportedModel";
        case error_code::no_fim_tokens: return "noFimTokens";
        case error_code::out_of_memory: return "outOfMemory";
        case error_code::load_failed: return "loadFailed";
        case error_code::load_cancelled: return "loadCancelled";
        case error_code::already_loaded: return "alreadyLoaded";
        case error_code::not_loaded: return "notLoaded";
        case error_code::closed: return "closed";
        case error_code::prompt_too_long: return "promptTooLong";
        case error_code::decode_failed: return "decodeFailed";
        case error_code::device_failed: return "deviceFailed";
        case error_code::device_lost: return "deviceLost";
        case error_code::internal: return "internal";
    }
    return "internal";
}

bool is_device_failure(const std::exception & error) {
    const auto * known = dynamic_cast<const engine_error *>(&error);
    return known != nullptr && known->code() == error_code::device_failed;
}

engine_error current_error() {
    try {
        throw;
    } catch (const engine_error & error) {
        return error;
    } catch (const std::bad_alloc &) {
        return engine_error(error_code::out_of_memory, "Not enough memory for this request");
    } catch (const std::exception & error) {
        return engine_error(error_code::internal, error.what());
    } catch (...) {
        return engine_error(error_code::internal, "Unknown error in native code");
    }
}

} // namespace inkling

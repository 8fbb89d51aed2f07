#include "starter.h"

#include "engine/base/log.h"

namespace inkling_fuzz {

using namespace inkling;

const model & starter_vocabulary() {
    static const std::shared_ptr<const model> loaded = [] {
        initialise_backend();
        model_load_params params;
        params.path     = INKLING_STARTER_MODEL;
        params.simulate = true;
        return model::load(params);
    }();
    return *loaded;
}

const vocabulary_index & starter_index() {
    static const vocabulary_index index(starter_vocabulary());
    return index;
}

namespace {

// Length of the character that bytes begin with; 0 if they begin with none.
size_t character_length(std::string_view bytes) {
    const auto   lead   = static_cast<unsigned char>(bytes.front());
    const size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || length > bytes.size()) {
        return 0;
    }
    for (const char byte : bytes.substr(1, length - 1)) {
        if ((static_cast<unsigned char>(byte) & 0xC0) != 0x80) {
            return 0;
        }
    }
    // The overlong forms, the surrogates, and what lies beyond U+10FFFF.
    const auto second = length > 1 ? static_cast<unsigned char>(bytes[1]) : 0;
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second > 0x8F)) {
        return 0;
    }
    return length;
}

} // namespace

bool is_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        const size_t length = character_length(bytes);
        if (length == 0) {
            return false;
        }
        bytes.remove_prefix(length);
    }
    return true;
}

std::string to_utf8(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const size_t length = character_length(bytes);
        text += length == 0 ? std::string_view("\xEF\xBF\xBD") : bytes.substr(0, length);
        bytes.remove_prefix(length == 0 ? 1 : length);
    }
    return text;
}

} // namespace inkling_fuzz

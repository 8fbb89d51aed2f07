#include "engine/llama/header_size.h"

#include "engine/base/error.h"

#include "gguf.h"

namespace inkling {

namespace {

// Each is several times what any model has: the largest have 260,000 tokens and 510,000 merges, and take 20 MB.
constexpr uint64_t MOST_ELEMENTS     = 1 << 23;
constexpr uint64_t MOST_BYTES        = 256 << 20; // as in server/src/models/gguf/gguf-reader.ts
constexpr uint64_t MOST_BYTES_OF_ONE = 16 << 20;

// Bytes of a number in a file; 0 for what is none.
uint64_t number_size(uint32_t type) {
    switch (type) {
        case GGUF_TYPE_UINT8:
        case GGUF_TYPE_INT8:
        case GGUF_TYPE_BOOL: return 1;
        case GGUF_TYPE_UINT16:
        case GGUF_TYPE_INT16: return 2;
        case GGUF_TYPE_UINT32:
        case GGUF_TYPE_INT32:
        case GGUF_TYPE_FLOAT32: return 4;
        case GGUF_TYPE_UINT64:
        case GGUF_TYPE_INT64:
        case GGUF_TYPE_FLOAT64: return 8;
        default: return 0;
    }
}

class header_reader {
  public:
    header_reader(std::istream & stream, const std::string & path) : stream_(stream), path_(path) {}

    // Returns whether it was a key with its value.
    bool pass_key() {
        uint32_t type = 0;
        if (!pass_text() || !read(type)) {
            return false;
        }
        uint64_t count = 1;
        if (type == GGUF_TYPE_ARRAY && (!read(type) || !read(count))) {
            return false;
        }
        elements_ += count > MOST_ELEMENTS ? MOST_ELEMENTS + 1 : count;
        if (elements_ > MOST_ELEMENTS) {
            throw too_large("more than " + std::to_string(MOST_ELEMENTS) + " values");
        }
        if (type != GGUF_TYPE_STRING) {
            return number_size(type) > 0 && pass(count * number_size(type));
        }
        while (count > 0 && pass_text()) {
            --count;
        }
        return count == 0;
    }

  private:
    template <typename number> bool read(number & value) {
        return static_cast<bool>(stream_.read(reinterpret_cast<char *>(&value), sizeof(value)));
    }

    bool pass_text() {
        uint64_t length = 0;
        if (!read(length)) {
            return false;
        }
        if (length > MOST_BYTES_OF_ONE) {
            throw too_large("a text of " + std::to_string(length) + " bytes");
        }
        return pass(length);
    }

    bool pass(uint64_t bytes) {
        bytes_ += bytes;
        if (bytes_ > MOST_BYTES) {
            throw too_large("more than " + std::to_string(MOST_BYTES) + " bytes");
        }
        stream_.ignore(static_cast<std::streamsize>(bytes));
        return static_cast<uint64_t>(stream_.gcount()) == bytes;
    }

    engine_error too_large(const std::string & what) const {
        return engine_error(error_code::truncated_file,
                            path_ + " is incomplete or damaged: its header has " + what + ". Download it again");
    }

    std::istream &      stream_;
    const std::string & path_;
    uint64_t            elements_ = 0;
    uint64_t            bytes_    = 0;
};

} // namespace

void require_small_header(std::istream & stream, int64_t key_count, const std::string & path) {
    header_reader reader(stream, path);
    for (int64_t i = 0; i < key_count && reader.pass_key(); ++i) {
    }
}

} // namespace inkling

// The header reader on any bytes: it answers or throws engine_error, and what it answers is possible.
#include "require.h"

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/llama/gguf_header.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>

namespace {

// A file in memory, with the path that opens it.
int file_in_memory() {
    inkling::initialise_backend();
    const int file = memfd_create("header", 0);
    REQUIRE(file >= 0);
    return file;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size) {
    static const int         file = file_in_memory();
    static const std::string path = "/proc/self/fd/" + std::to_string(file);
    REQUIRE(ftruncate(file, 0) == 0);
    REQUIRE(pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
    try {
        const inkling::gguf_header header = inkling::read_gguf_header(path);
        REQUIRE(!header.architecture.empty());
        REQUIRE(header.file_bytes == size);
        REQUIRE(header.tensor_bytes <= size);
        REQUIRE(header.mtp_bytes <= header.tensor_bytes);
        for (const int64_t count :
             {header.tensor_count, header.block_count, header.embedding_length, header.context_length,
              header.head_count, header.key_length, header.value_length, header.token_count, header.merge_count}) {
            REQUIRE(count >= 0);
        }
    } catch (const inkling::engine_error &) {
        // This is how the reader refuses a file.
    }
    return 0;
}

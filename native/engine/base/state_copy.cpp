#include "engine/base/state_copy.h"

#include "ggml-backend.h"

#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace inkling {

namespace {

// Before each copy in a buffer: the buffer. As long as the lines of caches.
constexpr size_t OWNER_BYTES = 64;

} // namespace

void * allocate_copy(size_t bytes, ggml_backend_buffer_type * transfers) {
    if (transfers != nullptr) {
        // Where the system pins no more, it is plain memory.
        ggml_backend_buffer * buffer = ggml_backend_buft_alloc_buffer(transfers, OWNER_BYTES + bytes);
        if (buffer == nullptr) {
            throw std::bad_alloc();
        }
        void * const base                          = ggml_backend_buffer_get_base(buffer);
        *static_cast<ggml_backend_buffer **>(base) = buffer;
        return static_cast<uint8_t *>(base) + OWNER_BYTES;
    }
#if defined(__linux__)
    constexpr size_t HUGE_PAGE = 2 << 20;
    if (bytes >= 2 * HUGE_PAGE) {
        void * memory = nullptr;
        if (posix_memalign(&memory, HUGE_PAGE, bytes) != 0) {
            throw std::bad_alloc();
        }
        // What does not fill a huge page stays in small ones, so that no more is resident than is used. Where the
        // system refuses the advice, all does.
        madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
        return memory;
    }
#endif
    void * memory = std::malloc(bytes);
    if (memory == nullptr && bytes > 0) {
        throw std::bad_alloc();
    }
    return memory;
}

void free_copy(void * memory, ggml_backend_buffer_type * transfers) noexcept {
    if (transfers == nullptr) {
        std::free(memory);
        return;
    }
    void * const base = static_cast<uint8_t *>(memory) - OWNER_BYTES;
    ggml_backend_buffer_free(*static_cast<ggml_backend_buffer **>(base));
}

} // namespace inkling

#include "engine/base/state_copy.h"

#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace inkling {

void * allocate_copy(size_t bytes) {
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

void free_copy(void * memory) noexcept {
    std::free(memory);
}

} // namespace inkling

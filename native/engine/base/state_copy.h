#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace inkling {

// Host memory that is not initialized, in huge pages where the system has them: a copy of a state is filled at once,
// and touching fresh small pages costs more than copying. Throws std::bad_alloc.
void * allocate_copy(size_t bytes);
void   free_copy(void * memory) noexcept;

template <typename value> struct copy_allocator {
    using value_type = value;

    copy_allocator() = default;

    template <typename other> copy_allocator(const copy_allocator<other> & /*of*/) noexcept {}

    value * allocate(size_t count) { return static_cast<value *>(allocate_copy(count * sizeof(value))); }
    void    deallocate(value * memory, size_t /*count*/) noexcept { free_copy(memory); }

    // Initializes nothing that it is given no value for.
    template <typename other, typename... arguments> void construct(other * at, arguments &&... values) {
        if constexpr (sizeof...(arguments) == 0) {
            ::new (static_cast<void *>(at)) other;
        } else {
            ::new (static_cast<void *>(at)) other(std::forward<arguments>(values)...);
        }
    }

    template <typename other> bool operator==(const copy_allocator<other> & /*with*/) const noexcept { return true; }
};

// Bytes of a model's state. A new one, and what resize() adds, holds anything.
using state_copy = std::vector<uint8_t, copy_allocator<uint8_t>>;

} // namespace inkling

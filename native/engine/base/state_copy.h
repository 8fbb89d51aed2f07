#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

struct ggml_backend_buffer_type;

namespace inkling {

// Host memory that is not initialized. Of `transfers`, a type of buffers that a GPU copies to and from by itself;
// without one in huge pages, where the system has them: a copy of a state is filled at once, and touching fresh small
// pages costs more than copying. Throws std::bad_alloc.
void * allocate_copy(size_t bytes, ggml_backend_buffer_type * transfers);
void   free_copy(void * memory, ggml_backend_buffer_type * transfers) noexcept;

template <typename value> struct copy_allocator {
    using value_type                             = value;
    using propagate_on_container_copy_assignment = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap            = std::true_type;

    copy_allocator() = default;
    explicit copy_allocator(ggml_backend_buffer_type * type) : transfers(type) {}

    template <typename other> copy_allocator(const copy_allocator<other> & of) noexcept : transfers(of.transfers) {}

    value * allocate(size_t count) { return static_cast<value *>(allocate_copy(count * sizeof(value), transfers)); }
    void    deallocate(value * memory, size_t /*count*/) noexcept { free_copy(memory, transfers); }

    // Initializes nothing that it is given no value for.
    template <typename other, typename... arguments> void construct(other * at, arguments &&... values) {
        if constexpr (sizeof...(arguments) == 0) {
            ::new (static_cast<void *>(at)) other;
        } else {
            ::new (static_cast<void *>(at)) other(std::forward<arguments>(values)...);
        }
    }

    template <typename other> bool operator==(const copy_allocator<other> & with) const noexcept {
        return transfers == with.transfers;
    }

    // Null for memory of the processor alone.
    ggml_backend_buffer_type * transfers = nullptr;
};

// Bytes of a model's state. A new one, and what resize() adds, holds anything.
using state_copy = std::vector<uint8_t, copy_allocator<uint8_t>>;

} // namespace inkling

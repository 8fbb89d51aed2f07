#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace inkling_test {

// At least `bytes` for the tensors and the graph of one computation at a time, not zeroed. All computations use the
// same memory: in some containers fresh pages take a hundred times as long as the computation.
inline std::vector<uint8_t> & graph_memory(size_t bytes) {
    static std::vector<uint8_t> memory;
    if (memory.size() < bytes) {
        memory.resize(bytes);
    }
    return memory;
}

} // namespace inkling_test

#pragma once

#include <cstdint>

namespace inkling {

// Physical cores that this process may use (performance cores only on Apple Silicon), at least 1. Two threads on one
// core slow each other down in matrix kernels, so logical processors are not what to count.
int32_t usable_physical_cores();

} // namespace inkling

#pragma once

#include <cstdint>

namespace inkling {

// Physical cores that this process may use (performance cores only on Apple Silicon), at least 1. Logical processors do
// not count: two threads on one core slow each other down in matrix kernels.
int32_t usable_physical_cores();

} // namespace inkling

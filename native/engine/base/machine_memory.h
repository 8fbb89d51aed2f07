#pragma once

#include <cstdint>

namespace inkling {

// Bytes that one more model may take on this machine right now without pushing out what else runs: free and reclaimable
// memory, within the limit of the container if there is one, less a reserve. On Apple's shared memory not more than is
// free of Metal's recommended working set; elsewhere a GPU's own free memory comes on top. 0 where the platform does
// not say.
uint64_t available_memory();

} // namespace inkling

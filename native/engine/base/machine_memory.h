#pragma once

#include <cstdint>
#include <string>

namespace inkling {

// Bytes that one more model may take on this machine now without pushing out other programs: free and reclaimable
// memory, within the container's limit if there is one, less a reserve. With Apple's shared memory it is at most what
// is free of Metal's recommended working set; elsewhere the free memory of a GPU with memory of its own is added: of
// `device`, by ggml's name of it, or without a name of the first one. 0 where the platform does not say.
uint64_t available_memory(const std::string & device = {});

} // namespace inkling

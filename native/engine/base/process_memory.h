#pragma once

#include <cstdint>
#include <string>

namespace inkling {

// Resident bytes of this process now and at its highest; 0 where the platform does not say.
uint64_t process_rss();
uint64_t process_peak_rss();

// Makes large blocks go back to the system as soon as they are freed. glibc raises its threshold for that with each
// large block that is freed; models, caches and checkpoints would then lie between small blocks that outlive them.
// Idempotent.
void return_large_blocks();

// Gives freed memory that the allocator keeps back to the system. glibc does that only when asked.
void release_freed_memory();

// Takes the mapped pages of this file out of the process; pages that are used again come back from the system's file
// cache. After a load this drops the originals of weights that the CPU backend has repacked. Nobody reads them again,
// but they would count as memory of this process. Only on Linux: other systems do not count clean pages of a file.
void release_mapped_pages(const std::string & path);

} // namespace inkling

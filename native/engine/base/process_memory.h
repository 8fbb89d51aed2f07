#pragma once

#include <cstdint>
#include <string>

namespace inkling {

// Resident bytes of this process now and at its highest; 0 where the platform does not say.
uint64_t process_rss();
uint64_t process_peak_rss();

// Makes large blocks go back to the system as soon as they are freed. glibc's threshold for that grows with each large
// block that is freed, and then models, caches and checkpoints come to lie between small blocks that outlive them.
// Idempotent.
void return_large_blocks();

// Gives memory that was freed but kept by the allocator back to the system, where the allocator does that only when
// asked (glibc).
void release_freed_memory();

// Takes the pages of this file that are mapped here out of the process; those that are used again come back from the
// system's file cache. After a load this drops the originals of weights that the CPU backend has repacked, which nobody
// reads any more but which would count as this process's memory for ever. Only on Linux: elsewhere clean pages of a
// file are not counted.
void release_mapped_pages(const std::string & path);

} // namespace inkling

#include "engine/base/process_memory.h"

#if defined(__APPLE__)
#include <mach/mach.h>
#include <sys/resource.h>
#elif defined(__linux__)
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#elif defined(_WIN32)
#define NOMINMAX
#include <windows.h>

// After windows.h, whose types it uses.
#include <psapi.h>
#endif

namespace inkling {

#if defined(_WIN32)
namespace {

PROCESS_MEMORY_COUNTERS counters() {
    PROCESS_MEMORY_COUNTERS counters{};
    counters.cb = sizeof(counters);
    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters)) ? counters
                                                                                  : PROCESS_MEMORY_COUNTERS{};
}

} // namespace
#endif

uint64_t process_rss() {
#if defined(__APPLE__)
    task_vm_info_data_t    info{};
    mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
    if (task_info(mach_task_self(), TASK_VM_INFO, reinterpret_cast<task_info_t>(&info), &count) == KERN_SUCCESS) {
        return info.phys_footprint;
    }
    return 0;
#elif defined(__linux__)
    unsigned long size     = 0;
    unsigned long resident = 0;
    std::FILE *   file     = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) {
        return 0;
    }
    const int fields = std::fscanf(file, "%lu %lu", &size, &resident);
    std::fclose(file);
    return fields == 2 ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
#elif defined(_WIN32)
    return counters().WorkingSetSize;
#else
    return 0;
#endif
}

uint64_t process_peak_rss() {
#if defined(__APPLE__) || defined(__linux__)
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return 0;
    }
#if defined(__APPLE__)
    return static_cast<uint64_t>(usage.ru_maxrss);
#else
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
#endif
#elif defined(_WIN32)
    return counters().PeakWorkingSetSize;
#else
    return 0;
#endif
}

void return_large_blocks() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
}

void release_freed_memory() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

#if defined(__linux__)
void release_mapped_pages(const std::string & path) {
    struct stat file {};
    if (stat(path.c_str(), &file) != 0) {
        return;
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        uintptr_t    begin        = 0;
        uintptr_t    end          = 0;
        unsigned int major_number = 0;
        unsigned int minor_number = 0;
        uint64_t     inode        = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %*x %x:%x %" SCNu64, &begin, &end, &major_number,
                        &minor_number, &inode) == 5 &&
            inode == file.st_ino && major_number == major(file.st_dev) && minor_number == minor(file.st_dev)) {
            // Advice; where it is refused, the pages stay.
            madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
        }
    }
}
#else
void release_mapped_pages(const std::string &) {}
#endif

} // namespace inkling

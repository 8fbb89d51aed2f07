#include "engine/base/cpu_time.h"

#if defined(_WIN32)
#include <windows.h>
#if defined(_M_X64) || defined(__x86_64__)
#include <intrin.h>
#endif
#else
#include <ctime>
#endif

namespace inkling {

#if defined(_WIN32)

// GetThreadTimes counts whole ticks of 16 ms, more than a batch takes. Cycles are counted exactly. On x64 they are
// those of the time stamp counter; on ARM the core's own, whose rate changes.
std::optional<cpu_time> cpu_time_now() {
#if defined(_M_X64) || defined(__x86_64__)
    ULONG64 thread  = 0;
    ULONG64 process = 0;
    if (QueryThreadCycleTime(GetCurrentThread(), &thread) && QueryProcessCycleTime(GetCurrentProcess(), &process)) {
        return cpu_time{static_cast<double>(thread), static_cast<double>(process), static_cast<double>(__rdtsc())};
    }
#endif
    return std::nullopt;
}

#else

namespace {

std::optional<double> seconds_of(clockid_t clock) {
    timespec time{};
    if (clock_gettime(clock, &time) != 0) {
        return std::nullopt;
    }
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

} // namespace

std::optional<cpu_time> cpu_time_now() {
    const auto thread  = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const auto process = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    const auto wall    = seconds_of(CLOCK_MONOTONIC);
    return thread && process && wall ? std::optional(cpu_time{*thread, *process, *wall}) : std::nullopt;
}

#endif

} // namespace inkling

#include "engine/base/cpu_time.h"

#if defined(_WIN32)
#include <windows.h>

#include <cstdint>
#else
#include <ctime>
#endif

namespace inkling {

#if defined(_WIN32)

namespace {

double seconds(const FILETIME & time) {
    // Units of 100 nanoseconds.
    return static_cast<double>((static_cast<uint64_t>(time.dwHighDateTime) << 32) | time.dwLowDateTime) / 1e7;
}

} // namespace

cpu_time cpu_time_now() {
    FILETIME created, ended, kernel, user;
    cpu_time now;
    if (GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user)) {
        now.thread = seconds(kernel) + seconds(user);
    }
    if (GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user)) {
        now.process = seconds(kernel) + seconds(user);
    }
    return now;
}

#else

namespace {

double seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

} // namespace

cpu_time cpu_time_now() {
    return {seconds(CLOCK_THREAD_CPUTIME_ID), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

#endif

} // namespace inkling

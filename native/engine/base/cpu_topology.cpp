#include "engine/base/cpu_topology.h"

#include <algorithm>
#include <set>
#include <string>
#include <thread>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(__linux__)
#include <fstream>
#include <sched.h>
#endif

namespace inkling {

int32_t usable_physical_cores() {
    const int32_t logical = std::max(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
#if defined(__APPLE__)
    for (const char * name : {"hw.perflevel0.physicalcpu", "hw.physicalcpu"}) {
        int32_t count = 0;
        size_t  size  = sizeof(count);
        if (sysctlbyname(name, &count, &size, nullptr, 0) == 0 && count > 0) {
            return count;
        }
    }
    return logical;
#elif defined(__linux__)
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        return logical;
    }
    // Threads of one core name the same set of siblings.
    std::set<std::string> cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) {
            continue;
        }
        std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
        std::string   siblings;
        if (std::getline(file, siblings)) {
            cores.insert(siblings);
        }
    }
    return cores.empty() ? logical : static_cast<int32_t>(cores.size());
#else
    return logical;
#endif
}

} // namespace inkling

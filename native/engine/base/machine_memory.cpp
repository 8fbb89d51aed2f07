#include "engine/base/machine_memory.h"

#include "ggml-backend.h"

#include <algorithm>
#include <optional>

#if defined(__APPLE__)
#include <mach/mach.h>
#include <sys/sysctl.h>
#elif defined(__linux__)
#include <fstream>
#include <sstream>
#include <string>
#elif defined(_WIN32)
#define NOMINMAX
#include <windows.h>
#endif

namespace inkling {

namespace {

struct memory_state {
    uint64_t total     = 0;
    uint64_t available = 0;
};

// Left to the system and to what the user opens next.
uint64_t reserve_of(uint64_t total) {
    return std::min<uint64_t>(total / 16, 1ull << 30);
}

#if defined(__linux__)
// The number after `key` in a file of "key value" lines; a file of one number has no key.
std::optional<uint64_t> number_in(const std::string & path, const std::string & key = {}) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(key)) {
            std::istringstream rest(line.substr(key.size()));
            uint64_t           number = 0;
            if (rest >> number) {
                return number;
            }
            return std::nullopt; // "max"
        }
    }
    return std::nullopt;
}

// What is left below a control group's limit; pages of files that it can drop do not count as used.
void apply_limit(memory_state & state, std::optional<uint64_t> limit, std::optional<uint64_t> used,
                 std::optional<uint64_t> droppable) {
    if (!limit || !used || *limit >= state.total) {
        return;
    }
    const uint64_t held = *used - std::min(*used, droppable.value_or(0));
    state.total         = *limit;
    state.available     = std::min(state.available, *limit - std::min(*limit, held));
}

// The group that this process is in and those above it: "0::/user.slice/..." names it in the unified hierarchy. In a
// container the root of the mount is the container's own group.
void apply_control_groups(memory_state & state) {
    std::string   group;
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("0::")) {
            group = line.substr(3);
        }
    }
    while (true) {
        const std::string folder = "/sys/fs/cgroup" + (group == "/" ? std::string() : group);
        apply_limit(state, number_in(folder + "/memory.max"), number_in(folder + "/memory.current"),
                    number_in(folder + "/memory.stat", "inactive_file "));
        if (group.empty() || group == "/") {
            break;
        }
        group.resize(group.find_last_of('/'));
    }
    const std::string first = "/sys/fs/cgroup/memory";
    apply_limit(state, number_in(first + "/memory.limit_in_bytes"), number_in(first + "/memory.usage_in_bytes"),
                number_in(first + "/memory.stat", "total_inactive_file "));
}

memory_state measure() {
    memory_state state;
    state.total     = number_in("/proc/meminfo", "MemTotal:").value_or(0) * 1024;
    state.available = number_in("/proc/meminfo", "MemAvailable:").value_or(0) * 1024;
    apply_control_groups(state);
    return state;
}
#elif defined(__APPLE__)
memory_state measure() {
    memory_state           state;
    size_t                 size = sizeof(state.total);
    vm_statistics64_data_t statistics{};
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    if (sysctlbyname("hw.memsize", &state.total, &size, nullptr, 0) != 0 ||
        host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&statistics), &count) !=
            KERN_SUCCESS) {
        return {};
    }
    // Pages of files are dropped before anything runs short. They count once: the inactive and the speculative ones are
    // among the external pages, and the speculative ones among the free ones, too.
    const uint64_t pages = static_cast<uint64_t>(statistics.free_count) - statistics.speculative_count +
                           statistics.external_page_count + statistics.purgeable_count;
    state.available = std::min(state.total, pages * vm_kernel_page_size);
    return state;
}
#elif defined(_WIN32)
memory_state measure() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof(status);
    return GlobalMemoryStatusEx(&status) ? memory_state{status.ullTotalPhys, status.ullAvailPhys} : memory_state{};
}
#else
memory_state measure() {
    return {};
}
#endif

} // namespace

uint64_t available_memory(const std::string & device) {
    const memory_state state = measure();
    if (state.total == 0) {
        return 0;
    }
    const uint64_t     available = state.available - std::min(state.available, reserve_of(state.total));
    ggml_backend_dev_t gpu       = device.empty() ? ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_GPU)
                                                  : ggml_backend_dev_by_name(device.c_str());
    if (gpu == nullptr || ggml_backend_dev_type(gpu) != GGML_BACKEND_DEVICE_TYPE_GPU) {
        return available;
    }
    size_t free  = 0;
    size_t total = 0;
    ggml_backend_dev_memory(gpu, &free, &total);
#if defined(__APPLE__)
    return std::min<uint64_t>(available, free);
#else
    return available + free;
#endif
}

} // namespace inkling

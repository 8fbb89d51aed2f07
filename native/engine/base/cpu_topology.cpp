#include "engine/base/cpu_topology.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(__linux__)
#include <sched.h>
#elif defined(_WIN32)
#define NOMINMAX
#include <windows.h>
#endif

namespace inkling {

namespace {

constexpr int32_t  THREADS_BESIDE_GPU     = 2;
// With 16 cores, the starter model (36 MB) answers nine of ten keys within 52 to 79 ms with 12 threads or more, and
// within 33 to 38 ms with 4 or 8 (test/bench/FIGURES.md). With 540 MB, 16 threads decode a fifth faster than 8 and read
// prompts 1.6 times as fast.
constexpr int32_t  THREADS_OF_SMALL_MODEL = 8;
constexpr uint64_t SMALL_MODEL_BYTES      = 256ull << 20;
// A core is fast if it has at least these shares of the fastest core's capacity or frequency. Cores of one kind differ
// by a tenth in their highest frequency; efficiency cores reach three quarters of it, at half the work for each cycle.
constexpr double   FAST_CAPACITY          = 0.6;
constexpr double   FAST_FREQUENCY         = 0.8;

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string all;
    for (const std::string_view part : parts) {
        all += part;
    }
    return all;
}

std::optional<std::string> line_of(const std::string & path) {
    std::ifstream file(path);
    std::string   line;
    return std::getline(file, line) && !line.empty() ? std::optional(line) : std::nullopt;
}

std::optional<double> number_of(const std::string & path) {
    const auto         line = line_of(path);
    std::istringstream text(line.value_or(""));
    double             number = 0.0;
    return text >> number ? std::optional(number) : std::nullopt;
}

// "0-3,8" names 0, 1, 2, 3 and 8.
bool lists(const std::string & list, int32_t cpu) {
    std::istringstream ranges(list);
    for (std::string range; std::getline(ranges, range, ',');) {
        std::istringstream text(range);
        int32_t            first = 0;
        int32_t            last  = 0;
        char               dash  = 0;
        if (text >> first) {
            last = text >> dash >> last && dash == '-' ? last : first;
            if (first <= cpu && cpu <= last) {
                return true;
            }
        }
    }
    return false;
}

void mark_fast(std::vector<logical_cpu> & cpus, const std::vector<std::optional<double>> & speeds, double share) {
    double best = 0.0;
    for (const auto & speed : speeds) {
        best = std::max(best, speed.value_or(0.0));
    }
    for (size_t i = 0; i < cpus.size(); ++i) {
        cpus[i].fast = speeds[i].value_or(best) >= share * best;
    }
}

// The groups from `group` up to the root of the mount. In a container the root is the container's own group, and the
// names above it do not exist.
template <typename function> void for_each_group(std::string group, const function & call) {
    while (true) {
        call(group == "/" ? std::string() : group);
        if (group.empty() || group == "/") {
            return;
        }
        group.resize(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
    }
}

double lowest_quota(const std::string & root) {
    double     quota = 0.0;
    const auto limit = [&](double time, double period) {
        if (time > 0.0 && period > 0.0) {
            quota = quota > 0.0 ? std::min(quota, time / period) : time / period;
        }
    };
    std::ifstream file(root + "/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const size_t first  = line.find(':');
        const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = joined({",", line.substr(first + 1, second - first - 1), ","});
        const std::string group       = line.substr(second + 1);
        if (controllers == ",,") {
            for_each_group(group, [&](const std::string & each) {
                std::istringstream text(line_of(joined({root, "/sys/fs/cgroup", each, "/cpu.max"})).value_or(""));
                double             time   = 0.0; // "max" is no number
                double             period = 0.0;
                if (text >> time >> period) {
                    limit(time, period);
                }
            });
        } else if (controllers.find(",cpu,") != std::string::npos) {
            for (const std::string mount : {"cpu", "cpu,cpuacct"}) {
                for_each_group(group, [&](const std::string & each) {
                    const std::string folder = joined({root, "/sys/fs/cgroup/", mount, each});
                    // -1 is no limit.
                    limit(number_of(folder + "/cpu.cfs_quota_us").value_or(0.0),
                          number_of(folder + "/cpu.cfs_period_us").value_or(0.0));
                });
            }
        }
    }
    return quota;
}

int32_t logical_cpus() {
    return std::max(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
}

cpu_facts facts_of(int32_t cores) {
    cpu_facts facts;
    for (int32_t i = 0; i < cores; ++i) {
        facts.cpus.push_back({std::to_string(i), true});
    }
    return facts;
}

#if defined(__APPLE__)
cpu_facts read_cpus() {
    // Level 0 is that of the performance cores; Intel has no levels.
    for (const char * name : {"hw.perflevel0.physicalcpu", "hw.physicalcpu"}) {
        int32_t count = 0;
        size_t  size  = sizeof(count);
        if (sysctlbyname(name, &count, &size, nullptr, 0) == 0 && count > 0) {
            return facts_of(count);
        }
    }
    return facts_of(logical_cpus());
}
#elif defined(__linux__)
cpu_facts read_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0) {
        return facts_of(logical_cpus());
    }
    std::vector<int32_t> allowed;
    for (int32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) {
            allowed.push_back(cpu);
        }
    }
    return read_linux_cpus("", allowed);
}
#elif defined(_WIN32)
cpu_facts read_cpus() {
    DWORD size = 0;
    GetLogicalProcessorInformationEx(RelationProcessorCore, nullptr, &size);
    std::vector<uint8_t> buffer(size);
    using information = SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX;
    if (size == 0 || !GetLogicalProcessorInformationEx(RelationProcessorCore,
                                                       reinterpret_cast<information *>(buffer.data()), &size)) {
        return facts_of(logical_cpus());
    }
    DWORD_PTR mine = 0;
    DWORD_PTR all  = 0;
    GetProcessAffinityMask(GetCurrentProcess(), &mine, &all);
    cpu_facts            facts;
    std::vector<uint8_t> classes;
    for (DWORD at = 0; at < size;) {
        const auto * const each      = reinterpret_cast<const information *>(buffer.data() + at);
        const auto &       processor = each->Processor;
        at += each->Size;
        // The mask is 0 where the process runs in several groups.
        if (mine == 0 || processor.GroupCount != 1 || (processor.GroupMask[0].Mask & mine) != 0) {
            facts.cpus.push_back({std::to_string(facts.cpus.size()), true});
            // EfficiencyClass; mingw-w64 10 counts this byte among the reserved ones.
            classes.push_back(reinterpret_cast<const uint8_t *>(&processor)[1]);
        }
    }
    // The highest class is the fastest.
    for (size_t i = 0; i < classes.size(); ++i) {
        facts.cpus[i].fast = classes[i] == *std::max_element(classes.begin(), classes.end());
    }
    return facts;
}
#else
cpu_facts read_cpus() {
    return facts_of(logical_cpus());
}
#endif

} // namespace

cpu_facts read_linux_cpus(const std::string & root, const std::vector<int32_t> & allowed) {
    cpu_facts                          facts;
    std::vector<std::optional<double>> capacities;
    std::vector<std::optional<double>> frequencies;
    bool                               kinds = false;
    // The counters of Intel's performance cores, where there are two kinds.
    const auto                         fast  = line_of(root + "/sys/devices/cpu_core/cpus");
    for (const int32_t cpu : allowed) {
        const std::string name   = std::to_string(cpu);
        const std::string folder = joined({root, "/sys/devices/system/cpu/cpu", name});
        facts.cpus.push_back({line_of(folder + "/topology/thread_siblings_list").value_or(name), true});
        capacities.push_back(number_of(folder + "/cpu_capacity"));
        frequencies.push_back(number_of(folder + "/cpufreq/cpuinfo_max_freq"));
        kinds = kinds || (fast && lists(*fast, cpu));
    }
    if (kinds) {
        for (size_t i = 0; i < allowed.size(); ++i) {
            facts.cpus[i].fast = lists(*fast, allowed[i]);
        }
    } else if (std::any_of(capacities.begin(), capacities.end(), [](const auto & each) { return each.has_value(); })) {
        mark_fast(facts.cpus, capacities, FAST_CAPACITY);
    } else {
        mark_fast(facts.cpus, frequencies, FAST_FREQUENCY);
    }
    facts.quota = lowest_quota(root);
    return facts;
}

int32_t threads_for(const cpu_facts & facts) {
    std::set<std::string> cores;
    for (const logical_cpu & each : facts.cpus) {
        if (each.fast) {
            cores.insert(each.core);
        }
    }
    auto threads = std::max(1, static_cast<int32_t>(cores.size()));
    if (facts.quota > 0.0 && facts.quota < threads) {
        // One thread more would be stopped for the rest of each period, and the others wait for it.
        threads = std::max(1, static_cast<int32_t>(facts.quota));
    }
    return threads;
}

bool is_stopped_by_quota(const cpu_facts & facts) {
    return facts.quota > 0.0 && facts.quota < static_cast<double>(facts.cpus.size());
}

int32_t useful_threads(int32_t threads, bool all_on_gpu, uint64_t weights_bytes) {
    if (all_on_gpu) {
        return std::min(threads, THREADS_BESIDE_GPU);
    }
    return weights_bytes < SMALL_MODEL_BYTES ? std::min(threads, THREADS_OF_SMALL_MODEL) : threads;
}

int32_t default_threads(bool all_on_gpu, uint64_t weights_bytes) {
    return useful_threads(threads_for(read_cpus()), all_on_gpu, weights_bytes);
}

bool is_stopped_by_quota() {
    return is_stopped_by_quota(read_cpus());
}

} // namespace inkling

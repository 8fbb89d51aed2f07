#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inkling {

// A logical processor that this process may run on.
struct logical_cpu {
    // Logical processors of one core share it.
    std::string core;
    // Of a core at least nearly as fast as the fastest. Matrix kernels wait for their slowest thread.
    bool        fast = true;
};

struct cpu_facts {
    std::vector<logical_cpu> cpus;
    // Processors' worth of time that a control group grants; 0 = no limit.
    double                   quota = 0.0;
};

// How many threads compute best: one for each fast core, as two on one core slow each other down, and none that the
// quota would stop. At least 1.
int32_t threads_for(const cpu_facts & facts);

// What Linux says below `root`, which is "/" but in tests: the fast ones of the `allowed` processors, by their kind
// (Intel), capacity (ARM) or highest frequency, and the lowest quota of the control groups that this process is in,
// version 1 or 2.
cpu_facts read_linux_cpus(const std::string & root, const std::vector<int32_t> & allowed);

// Of so many threads those that a model gains from. All layers on a GPU leave the CPU little to do: 2. A model of few
// weights waits longer for its slowest thread than it computes: 8.
int32_t useful_threads(int32_t threads, bool all_on_gpu, uint64_t weights_bytes);

// useful_threads of threads_for this process.
int32_t default_threads(bool all_on_gpu, uint64_t weights_bytes);

} // namespace inkling

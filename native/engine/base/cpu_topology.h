#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inkling {

// A logical processor that this process may run on.
struct logical_cpu {
    // Logical processors of one core share it.
    std::string core;
    // Its core is about as fast as the fastest one. Matrix kernels wait for their slowest thread.
    bool        fast = true;
};

struct cpu_facts {
    std::vector<logical_cpu> cpus;
    // Processor time that a control group grants, in processors; 0 = no limit.
    double                   quota = 0.0;
};

// How many threads compute fastest: one for each fast core, since two on one core slow each other down, and not more
// than the quota allows. At least 1.
int32_t threads_for(const cpu_facts & facts);

// Reads from Linux which of the `allowed` processors are fast, by their kind (Intel), capacity (ARM) or highest
// frequency, and the lowest quota of this process's control groups, version 1 or 2. `root` is "/", except in tests.
cpu_facts read_linux_cpus(const std::string & root, const std::vector<int32_t> & allowed);

// Whether a control group stops this process once it has used its quota. All its threads then stand still together, so
// fewer of them would compute no faster.
bool is_stopped_by_quota(const cpu_facts & facts);

// How many of these threads make a model faster: at most 2 where a GPU has all layers, since little is left to do, and
// at most 8 for a small model, since its threads wait for each other longer than they compute.
int32_t useful_threads(int32_t threads, bool all_on_gpu, uint64_t weights_bytes);

// useful_threads of threads_for this process.
int32_t default_threads(bool all_on_gpu, uint64_t weights_bytes);

// is_stopped_by_quota for this process.
bool is_stopped_by_quota();

} // namespace inkling

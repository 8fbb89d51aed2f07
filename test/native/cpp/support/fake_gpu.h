#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// A GPU for machines without one: a ggml device that computes on the CPU and fails as others do. A test cannot reach
// its buffers from the host. What it computes arrives on the host when it is synchronized. It aborts the process if a
// buffer outlives it.

namespace inkling_test::fake_gpu {

// Registers the device for all models that are loaded later, unless the machine has a real GPU. Idempotent.
void install();
bool installed();

enum class scope {
    backend, // a new backend computes again
    device,  // only a new process would
};

enum class report {
    log,       // as Metal
    exception, // as Vulkan
};

// The n-th graph from now on is not computed; 1 is the next one. Only the next synchronization says so, and whatever
// reads the results finds stale bytes. From then on the backend refuses all work.
void fail_at(int graph, scope what = scope::backend, report how = report::log);
// The device computes again. Backends that failed stay as they are.
void recover();

// There is no memory for another buffer, as where other programs use the device as well. Those that exist stay.
void refuse_buffers(bool refused);

// Called before each graph, on the thread that computes it; empty for nothing. Not while one computes.
void before_graph(std::function<void()> call);

// What a graph was asked for.
struct graph_shape {
    int64_t rows     = 0; // the most that a product of matrices computes: the tokens of the batch
    int     products = 0; // that compute so many
};

// The graphs of all backends so far, those that failed among them.
const std::vector<graph_shape> & graphs();

size_t backends(); // made so far
size_t buffers();  // that exist

} // namespace inkling_test::fake_gpu

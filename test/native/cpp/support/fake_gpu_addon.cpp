// Makes the addon find the fake GPU when it is loaded. INKLING_TEST_GPU_FAILS_AT is the graph from which on that GPU is
// lost to the process.
#include "fake_gpu.h"

#include <cstdlib>

namespace {

const bool installed = [] {
    namespace gpu = inkling_test::fake_gpu;
    gpu::install();
    const char * graph = std::getenv("INKLING_TEST_GPU_FAILS_AT");
    if (graph != nullptr) {
        gpu::fail_at(std::atoi(graph), gpu::scope::device);
    }
    return true;
}();

} // namespace

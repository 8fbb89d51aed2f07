// Makes the addon find the fake GPU when it is loaded. Once there is a file INKLING_TEST_GPU_LOST_FILE, the GPU is lost
// to the process with its next graph.
#include "fake_gpu.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

const bool installed = [] {
    namespace gpu = inkling_test::fake_gpu;
    gpu::install();
    const char * file = std::getenv("INKLING_TEST_GPU_LOST_FILE");
    if (file != nullptr) {
        gpu::before_graph([path = std::string(file)] {
            std::error_code none;
            if (std::filesystem::exists(path, none)) {
                gpu::fail_at(1, gpu::scope::device);
            }
        });
    }
    return true;
}();

} // namespace

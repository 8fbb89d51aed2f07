#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inkling {

enum class vulkan_kind {
    discrete,   // has memory of its own
    integrated, // shares the machine's memory, as virtual GPUs may
    cpu,        // a driver that computes on the processor, such as llvmpipe
};

struct vulkan_device {
    std::string id;   // ggml's name of it, such as Vulkan0: what model_load_params::device takes
    std::string name; // as its driver says, such as "NVIDIA GeForce RTX 3060"
    std::string driver;
    vulkan_kind kind  = vulkan_kind::cpu;
    uint64_t    total = 0; // bytes of its memory
    uint64_t    free  = 0;
};

// Starts Vulkan, and registers every device of this machine with ggml, those that compute on the processor among them.
// Idempotent. Where Vulkan does not start, there are no devices. A broken driver may end the process, or never return.
void register_vulkan_devices();

// In ggml's order. Precondition: register_vulkan_devices() was called.
std::vector<vulkan_device> list_vulkan_devices();

} // namespace inkling

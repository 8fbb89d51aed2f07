#pragma once

#include <string>

namespace inkling {

// How long a device and the processor take for the same work: that of a short suggestion with a small model.
struct device_trial {
    double device_ms = 0;
    double cpu_ms    = 0;
};

// Has a device compute, checks its results against the processor's, and measures both. `device` is ggml's name of it.
// The first use of a device compiles its kernels, which may take seconds and is not measured.
// Throws engine_error: device_failed, with what is wrong. A broken driver may also end the process, or never return.
device_trial try_device(const std::string & device);

} // namespace inkling

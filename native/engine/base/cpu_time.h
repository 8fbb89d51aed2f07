#pragma once

#include <optional>

namespace inkling {

// What three clocks show, in one unit: seconds, or cycles on Windows. Only their differences mean anything.
struct cpu_time {
    // Processor time of the calling thread.
    double thread  = 0.0;
    // Processor time of all threads of this process. The others' share may lag by some milliseconds.
    double process = 0.0;
    double wall    = 0.0;
};

// Empty where a clock is missing, or too coarse for batches of some milliseconds.
std::optional<cpu_time> cpu_time_now();

} // namespace inkling

#pragma once

namespace inkling {

// Processor seconds that were used so far.
struct cpu_time {
    // By the calling thread.
    double thread  = 0.0;
    // By all threads of this process. The others' share may lag by some milliseconds.
    double process = 0.0;
};

cpu_time cpu_time_now();

} // namespace inkling

#pragma once

#include <cstdint>

namespace inkling {

// Counts SIGTERM beside other handlers, in the signal handler itself: a handler in JavaScript runs only when the
// loop turns. Where nobody handles the signal it ends the process, and this does nothing. Windows has no such signal.
class termination_signal {
  public:
    termination_signal();
    ~termination_signal();
    termination_signal(const termination_signal &)             = delete;
    termination_signal & operator=(const termination_signal &) = delete;

    // How often it has come to this process since the first of these objects was made.
    static uint64_t count();
};

} // namespace inkling

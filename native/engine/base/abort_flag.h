#pragma once

#include <atomic>

namespace inkling {

// Set from any thread, looked at by the engine thread at every chunk of a prefill and every round of a decode.
class abort_flag {
  public:
    void set() { value_.store(true, std::memory_order_relaxed); }
    bool is_set() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> value_{false};
};

} // namespace inkling

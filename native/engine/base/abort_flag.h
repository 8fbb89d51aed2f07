#pragma once

#include <atomic>

namespace inkling {

// Any thread sets it. The engine thread reads it between two batches or rounds, and on the CPU within a batch.
class abort_flag {
  public:
    void set() { value_.store(true, std::memory_order_relaxed); }
    bool is_set() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> value_{false};
};

} // namespace inkling

#pragma once

#include "addon/watchdog/termination_signal.h"
#include "addon/watchdog/watched_process.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

namespace inkling {

// A thread that ends the process when its JavaScript loop stands still, or when its client is gone or SIGTERM came and
// the process has not ended by itself. Nothing in that loop can do so. It counts its own turns instead of reading a
// clock: a machine that sleeps, or a process that is stopped, costs no turns.
class watchdog {
  public:
    // 0 for a time does not watch. Both are rounded up to whole turns.
    watchdog(uint32_t stall_ms, uint32_t abandoned_ms);
    // Stops.
    ~watchdog();
    watchdog(const watchdog &)             = delete;
    watchdog & operator=(const watchdog &) = delete;

    // The loop turns.
    void beat() { beats_.fetch_add(1, std::memory_order_relaxed); }
    // The client from now on.
    void follow(int64_t process_id);
    // Those who send SIGTERM want the process to end: a silent loop then has two seconds. Call it when the loop listens
    // for the signal.
    void watch_sigterm();
    // Joins the thread; idempotent. On the thread that owns this object.
    void stop();

  private:
    void                     run();
    [[noreturn]] static void end_process(std::string_view reason);

    const uint32_t        stall_turns_;
    const uint32_t        abandoned_turns_;
    std::atomic<uint64_t> beats_ = 0;

    std::mutex                        mutex_;
    std::condition_variable           changed_;
    watched_process                   client_;
    // SIGTERM is watched; how often it had come before.
    std::optional<termination_signal> termination_;
    uint64_t                          earlier_terminations_ = 0;
    bool                              stopped_              = false;
    std::thread                       thread_;
};

} // namespace inkling

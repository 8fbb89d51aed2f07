#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace inkling {

// The one thread that owns model, context and samplers. Jobs run in order and must not throw.
class engine_thread {
  public:
    engine_thread();
    // Runs what is still queued, then joins.
    ~engine_thread();

    engine_thread(const engine_thread &)             = delete;
    engine_thread & operator=(const engine_thread &) = delete;

    void post(std::function<void()> job);

  private:
    void run();

    std::mutex                        mutex_;
    std::condition_variable           wake_;
    std::deque<std::function<void()>> jobs_;
    bool                              stopping_ = false;
    // Last, so that everything it uses exists before it starts.
    std::thread                       thread_;
};

} // namespace inkling

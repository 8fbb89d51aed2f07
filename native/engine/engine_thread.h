#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace inkling {

// Higher ones first; equals in the order of their arrival.
enum class job_priority { background, completion };

// The one thread that owns model, context and samplers. Jobs must not throw.
class engine_thread {
  public:
    engine_thread();
    // Runs what is still queued, then joins.
    ~engine_thread();

    engine_thread(const engine_thread &)             = delete;
    engine_thread & operator=(const engine_thread &) = delete;

    void post(job_priority priority, std::function<void()> job);

  private:
    void run();

    static constexpr size_t PRIORITIES = 2;

    bool empty() const;

    mutable std::mutex                                        mutex_;
    std::condition_variable                                   wake_;
    std::array<std::deque<std::function<void()>>, PRIORITIES> jobs_; // by priority
    bool                                                      stopping_ = false;
    // Last, so that everything it uses exists before it starts.
    std::thread                                               thread_;
};

} // namespace inkling

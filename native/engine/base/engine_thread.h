#pragma once

#include "engine/base/abort_flag.h"
#include "engine/base/job.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace inkling {

// The one thread that owns model, contexts and samplers. Jobs must not throw.
class engine_thread {
  public:
    // `rest` is called on the thread whenever it has run its last job, before it sleeps. It must not throw.
    explicit engine_thread(std::function<void()> rest = [] {});
    // Runs what is still queued, then joins.
    ~engine_thread();

    engine_thread(const engine_thread &)             = delete;
    engine_thread & operator=(const engine_thread &) = delete;

    // A job whose abort flag is set runs at once, ahead of its turn, so that it can end.
    void post(job_priority priority, std::function<void()> job, std::shared_ptr<const abort_flag> abort = nullptr);

    // For a job that can pause. waits_above: whether a job waits that goes before this priority. run_above runs all
    // such jobs, within the call. Precondition of run_above: on the engine thread.
    bool waits_above(job_priority priority) const;
    void run_above(job_priority priority);

  private:
    struct waiting_job {
        std::function<void()>             run;
        std::shared_ptr<const abort_flag> abort;
    };
    static constexpr size_t PRIORITIES = 4;

    void                       run();
    bool                       empty() const;
    // The next job of at least this priority, or an aborted one. Precondition: the mutex is held.
    std::optional<waiting_job> take(size_t lowest);

    std::function<void()>                           rest_;
    mutable std::mutex                              mutex_;
    std::condition_variable                         wake_;
    std::array<std::deque<waiting_job>, PRIORITIES> jobs_; // by priority
    bool                                            stopping_ = false;
    // Last, so that everything it uses exists before it starts.
    std::thread                                     thread_;
};

} // namespace inkling

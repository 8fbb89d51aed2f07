#pragma once

#include "engine/base/abort_flag.h"
#include "engine/base/job.h"
#include "engine/base/tokens.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace inkling {

// What a job will have evaluated soon: the first `length` tokens.
struct evaluated_text {
    slot_kind                     slot;
    const std::vector<token_id> & tokens;
    int32_t                       length;
};

// Whether a waiting job has a use for that. Called on the engine thread.
using job_interest = std::function<bool(const evaluated_text & work)>;

// What becomes of that for the job that runs next: there is none, it has a use for it, or it waits in vain.
enum class next_job { none, gains, loses };

// The one thread that owns model, contexts and samplers. Jobs must not throw.
class engine_thread {
  public:
    // `rest` is called on the thread whenever it has run its last job, before it sleeps. It must not throw.
    explicit engine_thread(std::function<void()> rest = [] {});
    ~engine_thread();

    engine_thread(const engine_thread &)             = delete;
    engine_thread & operator=(const engine_thread &) = delete;

    // Runs what is still queued, then joins. Idempotent. Until it returns, running jobs may still ask what waits.
    // Precondition: not on the engine thread.
    void end();

    // A job whose abort flag is set runs at once, ahead of its turn, so that it can end.
    void post(job_priority priority, std::function<void()> job, std::shared_ptr<const abort_flag> abort = nullptr,
              job_interest interest = nullptr);

    // Runs the job once the thread has had nothing to do for `quiet`: a key that comes soon does not wait for it. There
    // is one such job, the last one. It is dropped when the thread ends. Precondition: on the engine thread.
    void post_at_rest(std::chrono::milliseconds quiet, std::function<void()> job);

    // For a job that can pause. waits_above: whether a job waits that goes before this priority. run_above runs all
    // such jobs, within the call. Precondition of run_above: on the engine thread.
    bool waits_above(job_priority priority) const;
    void run_above(job_priority priority);

    // Of the job that runs next, aborted ones left out. Precondition: on the engine thread.
    next_job next_after(const evaluated_text & work) const;

  private:
    struct waiting_job {
        std::function<void()>             run;
        std::shared_ptr<const abort_flag> abort;
        job_interest                      interest;
    };
    struct resting_job {
        std::chrono::milliseconds quiet;
        std::function<void()>     run;
    };
    static constexpr size_t PRIORITIES = 4;

    void                       run();
    // Waits until there is something to do. Null at the end.
    std::function<void()>      next();
    bool                       empty() const;
    // The next job of at least this priority, or an aborted one. Precondition: the mutex is held.
    std::optional<waiting_job> take(size_t lowest);

    std::function<void()>                           rest_;
    mutable std::mutex                              mutex_;
    std::condition_variable                         wake_;
    std::array<std::deque<waiting_job>, PRIORITIES> jobs_; // by priority
    // Of the engine thread alone.
    std::optional<resting_job>                      at_rest_;
    bool                                            stopping_ = false;
    // Last, so that everything it uses exists before it starts.
    std::thread                                     thread_;
};

} // namespace inkling

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

// The text that a running batch evaluates on a slot: the first `length` tokens, once the batch is done.
struct evaluated_text {
    slot_kind                     slot;
    const std::vector<token_id> & tokens;
    int32_t                       length;
};

// What the queue knows of a generation that waits. Other jobs have none.
struct job_needs {
    // The only slot that the generation uses.
    slot_kind                                        slot;
    // Whether the generation could reuse that work. Called on the engine thread.
    std::function<bool(const evaluated_text & work)> gains_from;
};

// The generation that runs next, as the running batch sees it: there is none, it can reuse the batch's work, or it
// cannot and only waits.
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
              std::optional<job_needs> needs = std::nullopt);

    // Runs the job once the thread has had nothing to do for `quiet`: a key that comes soon does not wait for it. There
    // is one such job, the last one. It is dropped when the thread ends. Precondition: on the engine thread.
    void post_at_rest(std::chrono::milliseconds quiet, std::function<void()> job);

    // For a job that can pause. waits_above: whether a more urgent job waits. run_above runs all such jobs, within the
    // call. Precondition of run_above: on the engine thread.
    bool waits_above(job_priority priority) const;
    void run_above(job_priority priority);

    // The same for a job that pauses within a batch and keeps its slot: only completions that need another slot, and
    // only while no control job waits.
    bool waits_beside(slot_kind used) const;
    void run_beside(slot_kind used);

    // What the generation that runs next can do with the work. Leaves out aborted generations and those below `lowest`.
    // Precondition: on the engine thread.
    next_job next_after(const evaluated_text & work, job_priority lowest = job_priority::background) const;

  private:
    struct waiting_job {
        std::function<void()>             run;
        std::shared_ptr<const abort_flag> abort;
        std::optional<job_needs>          needs;
    };
    using job_queue = std::deque<waiting_job>;
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
    // The index in the queue of completions of the job that run_beside runs next. Precondition: the mutex is held.
    std::optional<size_t>      find_beside(slot_kind used) const;

    std::function<void()>             rest_;
    mutable std::mutex                mutex_;
    std::condition_variable           wake_;
    std::array<job_queue, PRIORITIES> jobs_; // by priority
    // Only the engine thread uses it.
    std::optional<resting_job>        at_rest_;
    bool                              stopping_ = false;
    // Last, so that everything it uses exists before it starts.
    std::thread                       thread_;
};

} // namespace inkling

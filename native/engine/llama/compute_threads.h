#pragma once

#include "engine/base/cpu_time.h"
#include "engine/base/thread_count.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

struct ggml_threadpool;
struct llama_context;

namespace inkling {

// The threads that compute for the contexts of one slot, which never compute at the same time. Used on the engine
// thread only.
class compute_threads {
  public:
    // Without `adapts` it is always `most` threads: what waits for a GPU, or for its next share of a quota, gets little
    // of the processor.
    compute_threads(int32_t most, bool adapts);
    ~compute_threads();
    compute_threads(const compute_threads &)             = delete;
    compute_threads & operator=(const compute_threads &) = delete;

    int32_t most() const { return count_.most(); }

    // Puts the threads to sleep; the next decode wakes them. Otherwise each spins for a tenth of a second after one.
    // Does nothing within a batch: a thread that has not begun it would sleep while all others wait for it.
    void rest() const;

    // Puts those to sleep that computed last for another slot on this engine thread: they would spin beside these.
    void rest_others();

    // While it lives, the context computes on these threads alone, and what that takes decides how many the next batch
    // has.
    class turn {
      public:
        turn(compute_threads & threads, llama_context * on);
        ~turn();
        turn(const turn &)             = delete;
        turn & operator=(const turn &) = delete;

      private:
        compute_threads &                     threads_;
        std::chrono::steady_clock::time_point start_;
        std::optional<cpu_time>               used_;
    };

  private:
    struct pool_deleter {
        void operator()(ggml_threadpool * pool) const;
    };

    // Without a pool, ggml starts and ends its threads at every decode.
    ggml_threadpool * pool();

    thread_count                                                      count_;
    // Whether the number can change at all. Otherwise no clock is read.
    bool                                                              adapts_;
    bool                                                              in_batch_ = false;
    // By their number of threads. Each stays, since a backend pauses the pool that it had before.
    std::map<int32_t, std::unique_ptr<ggml_threadpool, pool_deleter>> pools_;
};

} // namespace inkling

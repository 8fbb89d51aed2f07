#pragma once

#include <chrono>
#include <cstdint>

namespace inkling {

// What one batch took.
struct compute_time {
    std::chrono::steady_clock::time_point end;
    double                                seconds         = 0.0;
    // Processor time of the thread that computed, and of the whole process.
    double                                thread_seconds  = 0.0;
    double                                process_seconds = 0.0;
};

// How many threads compute the next batch. The threads of a batch meet some hundred times per token. Where other
// programs want the processor, such as a build, one of them nearly always waits for its turn, and all others wait for
// it: on two busy processors one thread is several times faster than two. So the number is halved while the threads get
// too little of the processor, and that is taken back some time after they get all of it.
class thread_count {
  public:
    using clock = std::chrono::steady_clock;

    // Precondition: 1 <= most.
    explicit thread_count(int32_t most) : most_(most) {}

    int32_t most() const { return most_; }
    // most() halved some times, so there are few different numbers.
    int32_t now() const;

    // A batch was computed by now() threads.
    void observe(const compute_time & spent);

  private:
    static constexpr clock::duration LEAST_PATIENCE = std::chrono::seconds(1);

    void judge(clock::time_point at);
    void change(int32_t halvings, clock::time_point at);

    int32_t           most_;
    int32_t           halvings_ = 0;
    // Of the batches since the last judgement.
    compute_time      sum_;
    // When the number changed last, and whether it grew.
    clock::time_point changed_;
    bool              raised_   = false;
    // Seconds of computing since then in which the threads got enough.
    double            enough_   = 0.0;
    // How long it stays before more threads are tried: longer after each attempt that failed.
    clock::duration   patience_ = LEAST_PATIENCE;
};

} // namespace inkling

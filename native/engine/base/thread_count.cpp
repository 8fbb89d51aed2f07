#include "engine/base/thread_count.h"

#include <algorithm>

namespace inkling {

namespace {

using std::chrono::seconds;

// Seconds of computing that are judged together: long against the lag of the processor time of other threads.
constexpr double JUDGED = 0.06;

// Shares of the processor time that the threads would get alone. With one other busy thread on two processors, two
// threads get two thirds, and one thread is as fast.
constexpr double TOO_LITTLE = 0.75;
constexpr double ALL        = 0.9;

// Batches further back say nothing about the machine as it is.
constexpr thread_count::clock::duration FORGOTTEN_AFTER = seconds(1);

// More threads that get too little this soon were an attempt that failed.
constexpr thread_count::clock::duration ATTEMPT       = seconds(5);
constexpr thread_count::clock::duration MOST_PATIENCE = seconds(30);

} // namespace

void thread_count::observe(const compute_time & spent) {
    if (spent.end - sum_.end > FORGOTTEN_AFTER) {
        sum_ = {};
    }
    sum_.end = spent.end;
    sum_.seconds += spent.seconds;
    sum_.thread_seconds += spent.thread_seconds;
    sum_.process_seconds += spent.process_seconds;
    if (sum_.seconds >= JUDGED) {
        judge(spent.end);
        sum_     = {};
        sum_.end = spent.end;
    }
}

void thread_count::judge(clock::time_point at) {
    // Other threads of this process count in its time, so the computing thread's own share may say more.
    const double share = std::min(sum_.thread_seconds, sum_.process_seconds / now_) / sum_.seconds;
    if (share < TOO_LITTLE && now_ > 1) {
        if (raised_) {
            patience_ = at - changed_ < ATTEMPT ? std::min(2 * patience_, MOST_PATIENCE) : LEAST_PATIENCE;
        }
        now_ /= 2;
        raised_  = false;
        changed_ = at;
    } else if (share >= ALL && now_ < most_ && at - changed_ >= patience_) {
        now_     = std::min(most_, 2 * now_);
        raised_  = true;
        changed_ = at;
    }
}

} // namespace inkling

#include "engine/base/thread_count.h"

#include <algorithm>

namespace inkling {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Seconds of computing that are judged together: long against the lag of the processor time of other threads, which
// weighs the more the more threads there are.
constexpr double JUDGED_PER_THREAD = 0.03;

// Shares of the processor time that the threads would get alone. With one other busy thread on two processors, two
// threads get two thirds, and one thread is as fast.
constexpr double TOO_LITTLE = 0.75;
constexpr double ALL        = 0.9;

// Threads that wait for the processor, on average, and their share of all. Where two others are busy, two of eight
// threads wait half of the time each, seldom at the same time, and the other six for both. Of many threads so few do
// not stand out.
constexpr double MOST_WAITING       = 0.6;
constexpr double MOST_WAITING_SHARE = 0.04;

// Seconds by which the processor time of a running thread lags: systems add it up every 1 to 10 ms. That of a sleeping
// thread is exact, so threads that a batch woke seem to have used this much less.
constexpr double                        LAG         = 0.005;
constexpr thread_count::clock::duration AWAKE_UNTIL = milliseconds(5);

// Batches further back say nothing about the machine as it is.
constexpr thread_count::clock::duration FORGOTTEN_AFTER = seconds(1);

// More threads that got enough for fewer seconds of computing than this were an attempt that failed.
constexpr double                        ATTEMPT       = 1.0;
constexpr thread_count::clock::duration MOST_PATIENCE = seconds(30);

} // namespace

int32_t thread_count::now() const {
    return std::max(1, most_ >> halvings_);
}

void thread_count::observe(const compute_time & spent) {
    // Clocks that stand still or go back say nothing.
    if (spent.seconds <= 0.0 || spent.thread_seconds <= 0.0 || spent.process_seconds <= 0.0) {
        return;
    }
    const auto pause = spent.end - sum_.end -
                       std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(spent.seconds));
    if (pause > FORGOTTEN_AFTER) {
        sum_ = {};
    }
    sum_.end = spent.end;
    sum_.seconds += spent.seconds;
    sum_.thread_seconds += spent.thread_seconds;
    sum_.process_seconds += spent.process_seconds + (pause > AWAKE_UNTIL ? LAG * (now() - 1) : 0.0);
    if (sum_.seconds >= JUDGED_PER_THREAD * std::max(2, now())) {
        judge(spent.end);
        sum_     = {};
        sum_.end = spent.end;
    }
}

void thread_count::judge(clock::time_point at) {
    // Other threads of this process count in its time, so the computing thread's own share may say more.
    const double of_all  = std::min(1.0, sum_.process_seconds / now() / sum_.seconds);
    const double share   = std::min(of_all, sum_.thread_seconds / sum_.seconds);
    const double waiting = now() * (1.0 - of_all);
    if (now() > 1 && (share < TOO_LITTLE || waiting > std::max(MOST_WAITING, MOST_WAITING_SHARE * now()))) {
        if (raised_) {
            patience_ = enough_ < ATTEMPT ? std::min(2 * patience_, MOST_PATIENCE) : LEAST_PATIENCE;
        }
        change(1, at);
        return;
    }
    enough_ += sum_.seconds;
    // Once an attempt went well, the next one follows soon.
    if (share >= ALL && halvings_ > 0 && at - changed_ >= (raised_ ? LEAST_PATIENCE : patience_)) {
        change(-1, at);
    }
}

void thread_count::change(int32_t halvings, clock::time_point at) {
    halvings_ += halvings;
    raised_  = halvings < 0;
    changed_ = at;
    enough_  = 0.0;
}

} // namespace inkling

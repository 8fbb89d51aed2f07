// How many threads compute beside other programs, on simulated machines: how fast that is, and whether all threads come
// back.
#include "check.h"

#include "engine/base/thread_count.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace inkling;

namespace {

using clock_type = thread_count::clock;

// A machine whose system gives each processor to its threads in turn, and moves none.
struct machine {
    int32_t processors;
    int32_t busy   = 0;
    // Seconds between two updates of a running thread's processor time.
    double  tick   = 0.004;
    // Seconds of a batch before its threads are woken.
    double  serial = 0.0003;

    // Of `threads`, those that share a processor with a busy one.
    int32_t sharing(int32_t threads) const {
        return std::clamp(threads + busy - processors, 0, std::min(threads, busy));
    }
    // What such a thread gets.
    double share(int32_t threads) const { return std::min(0.5, static_cast<double>(processors) / (threads + busy)); }
    // In threads. Two that share rarely run at the same time, and each that waits gives its processor away: on two busy
    // processors, two threads had a sixth of the speed of one.
    double speed(int32_t threads) const {
        switch (sharing(threads)) {
            case 0: return threads;
            case 1: return threads * share(threads);
            default: return share(threads) / 6 * std::min(threads, 6);
        }
    }
    double best_speed(int32_t most) const {
        double best = 0.0;
        for (int32_t threads = 1; threads <= most; ++threads) {
            best = std::max(best, speed(threads));
        }
        return best;
    }
};

// A program that computes on a machine, in bursts such as keys cause, or without a pause. A batch of all threads takes
// 2.5 ms if nobody disturbs them.
class program {
  public:
    program(const machine & on, int32_t most) : on_(on), count_(most), work_(0.0025 * most) {}

    machine & on() { return on_; }
    int32_t   threads() const { return count_.now(); }

    // Ten batches for a key, six keys a second. Returns the mean speed.
    double type(double duration) {
        const double end = now_ + duration;
        done_ = computed_ = 0.0;
        while (now_ < end) {
            const double next = now_ + 0.15;
            wake();
            for (int i = 0; i < 10; ++i) {
                batch();
            }
            // The phase of the ticks differs from burst to burst.
            now_ = std::max(now_ + 0.01, next) + 0.00137;
        }
        return done_ / computed_;
    }
    double chat(double duration) {
        const double end = now_ + duration;
        done_ = computed_ = 0.0;
        now_ += 0.1;
        wake();
        while (now_ < end) {
            batch();
        }
        return done_ / computed_;
    }

  private:
    void wake() { waking_ = true; }

    // What a thread that woke last has used by now, as the clock of the process says.
    double counted() const { return std::max(0.0, std::floor(now_ / on_.tick) * on_.tick - woken_); }

    void batch() {
        const int32_t threads = count_.now();
        const int32_t sharing = on_.sharing(threads);
        // All but the computing thread, which is one of the last to share.
        const double  others  = threads - 1 - std::min(sharing, threads - 1) * (1.0 - on_.share(threads));
        const double  own     = sharing == threads ? on_.share(threads) : 1.0;
        const double  serial  = std::exchange(waking_, false) ? on_.serial : 0.0;
        if (serial > 0.0) {
            now_ += serial;
            woken_ = now_;
        }
        const double before = counted();
        const double took   = work_ / on_.speed(threads);
        now_ += took;
        const double seconds = took + serial;
        count_.observe({at(now_), seconds, seconds * own, seconds * own + others * (counted() - before)});
        done_ += work_;
        computed_ += seconds;
    }

    static clock_type::time_point at(double seconds) {
        return clock_type::time_point(
            std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>(seconds)));
    }

    machine      on_;
    thread_count count_;
    double       work_;
    double       now_      = 3600.0;
    double       woken_    = 0.0;
    bool         waking_   = false;
    double       done_     = 0.0;
    double       computed_ = 0.0;
};

const std::vector<double> TICKS = {0.001, 0.004, 0.01};

} // namespace

TEST("an idle machine computes on all threads, whatever its clocks lag") {
    for (const int32_t processors : {1, 2, 4, 8, 12, 64, 128}) {
        for (const double tick : TICKS) {
            program ours({processors, 0, tick}, processors);
            int64_t threads = 0;
            for (int i = 0; i < 200; ++i) {
                ours.type(0.6);
                threads += ours.threads();
                ours.chat(0.3);
                threads += ours.threads();
            }
            if (static_cast<double>(threads) < 0.97 * 400 * processors) {
                inkling_test::fail(__FILE__, __LINE__,
                                   std::to_string(static_cast<double>(threads) / 400) + " threads of " +
                                       std::to_string(processors) + ", tick " + std::to_string(tick));
            }
        }
    }
}

TEST("beside busy programs the number of threads is about as fast as the best one, and all come back") {
    for (const int32_t processors : {2, 4, 8, 12, 64}) {
        for (const int32_t busy : {1, 2, processors / 4, processors / 2, processors - 1, processors, 2 * processors}) {
            if (busy == 0 || (busy == 2 && processors == 64)) {
                continue;
            }
            for (const double tick : TICKS) {
                for (const bool chats : {false, true}) {
                    program    ours({processors, busy, tick}, processors);
                    const auto run = [&](double seconds) {
                        return chats ? ours.chat(seconds) : ours.type(seconds);
                    };
                    run(60.0);
                    const double speed = run(240.0);
                    const double best  = ours.on().best_speed(processors);
                    const auto   what  = std::to_string(busy) + " busy of " + std::to_string(processors) +
                                      (chats ? ", chat" : ", typing") + ", tick " + std::to_string(tick) + ": ";
                    if (speed < 0.4 * best) {
                        inkling_test::fail(__FILE__, __LINE__,
                                           what + std::to_string(speed) + " of " + std::to_string(best));
                    }
                    ours.on().busy = 0;
                    run(45.0);
                    if (ours.threads() != processors) {
                        inkling_test::fail(__FILE__, __LINE__,
                                           what + std::to_string(ours.threads()) + " threads afterwards");
                    }
                }
            }
        }
    }
}

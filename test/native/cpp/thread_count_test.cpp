// How many threads compute, by what the last batches got of the processor.
#include "check.h"

#include "engine/base/thread_count.h"

#include <algorithm>

using namespace inkling;

namespace {

using std::chrono::milliseconds;

// Batches of `seconds`, whose threads get `share` of the processor time that they would get alone.
class machine {
  public:
    explicit machine(int32_t most) : count_(most) {}

    int32_t compute(double share, double seconds = 0.1, double of_own_thread = 1.0) {
        now_ += std::chrono::duration_cast<thread_count::clock::duration>(std::chrono::duration<double>(seconds));
        count_.observe({now_, seconds, seconds * std::min(share, of_own_thread), seconds * share * count_.now()});
        return count_.now();
    }

    // Batches of 100 ms until the number changes; how many it took, at most 1000.
    int until_change(double share) {
        const int32_t before  = count_.now();
        int           batches = 1;
        while (compute(share) == before && batches < 1000) {
            ++batches;
        }
        return batches;
    }

    void wait(milliseconds time) { now_ += time; }

  private:
    thread_count                    count_;
    thread_count::clock::time_point now_{std::chrono::hours(1)};
};

} // namespace

TEST("all threads compute while they get the processor") {
    machine idle(2);
    for (int i = 0; i < 100; ++i) {
        CHECK_EQUAL(idle.compute(i % 2 == 0 ? 1.0 : 0.8), 2);
    }
}

TEST("threads that get too little of the processor are halved, down to one") {
    machine busy(6);
    CHECK_EQUAL(busy.compute(0.5, 0.2), 3);
    CHECK_EQUAL(busy.compute(0.7, 0.2), 1);
    CHECK_EQUAL(busy.compute(0.1, 0.2), 1);
    // By the same steps back.
    busy.wait(milliseconds(1000));
    CHECK_EQUAL(busy.compute(1.0, 0.2), 3);
    busy.wait(milliseconds(1000));
    CHECK_EQUAL(busy.compute(1.0, 0.2), 6);
}

TEST("two of many threads that wait are enough, one is not") {
    machine busy(8);
    CHECK_EQUAL(busy.compute(7.5 / 8, 0.3), 8);
    CHECK_EQUAL(busy.compute(7.0 / 8, 0.3), 4);
}

TEST("clocks that stand still change nothing") {
    machine still(4);
    for (int i = 0; i < 10; ++i) {
        CHECK_EQUAL(still.compute(0.0), 4);
        CHECK_EQUAL(still.compute(1.0, 0.1, /*of_own_thread =*/0.0), 4);
    }
}

TEST("the computing thread's own share counts where other threads use the process's time") {
    machine busy(2);
    CHECK_EQUAL(busy.compute(/*share =*/1.0, 0.1, /*of_own_thread =*/0.5), 1);
}

TEST("batches of a few milliseconds are judged together") {
    machine busy(2);
    CHECK_EQUAL(busy.compute(0.1, 0.02), 2);
    CHECK_EQUAL(busy.compute(1.0, 0.02), 2);
    CHECK_EQUAL(busy.compute(0.1, 0.03), 1);
    // What was long ago says nothing.
    machine later(2);
    later.compute(0.1, 0.05);
    later.wait(milliseconds(1500));
    CHECK_EQUAL(later.compute(1.0, 0.05), 2);
    CHECK_EQUAL(later.compute(1.0, 0.05), 2);
}

TEST("more threads are tried once they get everything, and later after each attempt that failed") {
    machine busy(2);
    busy.compute(0.5);
    CHECK_EQUAL(busy.compute(0.85), 1);
    const int first = busy.until_change(1.0);
    CHECK(first >= 9 && first <= 11);
    CHECK_EQUAL(busy.compute(0.6), 1);
    const int second = busy.until_change(1.0);
    CHECK(second >= 19 && second <= 21);
    for (int i = 0; i < 10; ++i) {
        CHECK_EQUAL(busy.compute(0.6), 1);
        CHECK(busy.until_change(1.0) <= 301);
    }
    // It held this time.
    for (int i = 0; i < 60; ++i) {
        CHECK_EQUAL(busy.compute(1.0), 2);
    }
    CHECK_EQUAL(busy.compute(0.5), 1);
    const int again = busy.until_change(1.0);
    CHECK(again >= 9 && again <= 11);
}

TEST("a single thread stays one") {
    machine one(1);
    CHECK_EQUAL(one.compute(0.1), 1);
    CHECK_EQUAL(one.compute(1.0), 1);
}

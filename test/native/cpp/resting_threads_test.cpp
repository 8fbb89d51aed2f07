// Threads that have nothing to compute sleep.
#include "check.h"
#include "slots.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace inkling;

namespace {

// Processor time of this process in a pause.
double used_ms_in(std::chrono::milliseconds pause) {
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(pause);
    return 1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

bool counts_processor_time() {
#if defined(_WIN32)
    std::cout << "     left out: clock() is no time of the processor here\n";
    return false;
#else
    return true;
#endif
}

std::unique_ptr<context> context_with(int32_t threads) {
    context_params params;
    params.context_length = 64;
    params.batch_size     = 16;
    params.threads        = threads;
    return std::make_unique<context>(inkling_test::starter_model(), params);
}

// Threads that wait for each other forever cannot be stopped.
class time_limit {
  public:
    explicit time_limit(std::chrono::seconds limit)
        : thread_([this, limit] {
              std::unique_lock<std::mutex> lock(mutex_);
              if (!over_.wait_for(lock, limit, [this] { return done_; })) {
                  std::cout << "     the threads wait for each other" << std::endl;
                  std::_Exit(1);
              }
          }) {}
    ~time_limit() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            done_ = true;
        }
        over_.notify_one();
        thread_.join();
    }
    time_limit(const time_limit &)             = delete;
    time_limit & operator=(const time_limit &) = delete;

  private:
    std::mutex              mutex_;
    std::condition_variable over_;
    bool                    done_ = false;
    std::thread             thread_; // uses the others
};

const std::vector<token_id> TOKENS = {100, 200, 300, 400};

void decode(context & on, const decode_cut & cut = {}) {
    on.clear();
    CHECK(on.decode(TOKENS.data(), static_cast<int32_t>(TOKENS.size()), 0, logit_rows::last, cut));
}

} // namespace

TEST("the threads of a slot that rests take no processor time, and the next decode wakes them") {
    if (!counts_processor_time()) {
        return;
    }
    inkling_test::slot_options options;
    options.threads    = 4;
    const auto on      = inkling_test::make_slot(options);
    const auto request = inkling_test::fim_request("const a = 1;\n", "", 8);
    const auto first   = inkling_test::run_on(*on, request);
    on->ctx().compute()->rest();
    // Without rest each of three workers spins for a tenth of a second or more.
    CHECK(used_ms_in(std::chrono::milliseconds(300)) < 50.0);
    on->forget();
    CHECK_SAME_ANSWER(inkling_test::run_on(*on, request), first);

    // Where the queue is not empty, another slot computes. The shorter, the more would be left of the spinning.
    options.threads     = 2;
    const auto before   = inkling_test::make_slot(options);
    const auto behind   = inkling_test::make_slot(options);
    const auto one_more = [](const std::string & number) {
        return inkling_test::fim_request("const a = " + number, "", 1);
    };
    inkling_test::run_on(*behind, one_more("1"));
    inkling_test::run_on(*before, one_more("1"));
    inkling_test::run_on(*behind, one_more("12"));
    behind->ctx().compute()->rest();
    CHECK(used_ms_in(std::chrono::milliseconds(300)) < 50.0);
}

TEST("threads that another slot interrupts before all have begun their batch are not put to sleep in it") {
    const time_limit limit(std::chrono::seconds(inkling_test::under_thread_sanitizer() ? 600 : 60));
    const auto       other = context_with(2);
    for (int i = 0; i < inkling_test::scaled(50); ++i) {
        // A new one, since the number of threads falls on a busy machine.
        const auto interrupted = context_with(4);
        for (int j = 0; j < 3; ++j) {
            // They are slower to begin than the first operation is to end.
            interrupted->compute()->rest();
            bool asked = false;
            decode(*interrupted, [&] {
                if (!std::exchange(asked, true)) {
                    decode(*other);
                }
                return false;
            });
            CHECK(asked);
        }
    }
}

TEST("the threads of a slot that interrupted a batch sleep while it goes on") {
    if (!counts_processor_time()) {
        return;
    }
    // Its own threads would wait for each other, which takes processor time.
    const auto interrupted = context_with(1);
    const auto other       = context_with(4);
    int        questions   = 0;
    double     used_ms     = 0.0;
    decode(*interrupted, [&] {
        ++questions;
        if (questions == 1) {
            decode(*other);
        } else if (questions == 2) {
            used_ms = used_ms_in(std::chrono::milliseconds(100));
        }
        return false;
    });
    CHECK(questions > 2);
    CHECK(used_ms < 30.0);
}

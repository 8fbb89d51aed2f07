// Threads that have nothing to compute sleep.
#include "check.h"
#include "slots.h"

#include <chrono>
#include <ctime>
#include <iostream>
#include <string>
#include <thread>

TEST("the threads of a slot that rests take no processor time, and the next decode wakes them") {
#if defined(_WIN32)
    std::cout << "     left out: clock() is no time of the processor here\n";
#else
    inkling_test::slot_options options;
    options.threads       = 4;
    const auto on         = inkling_test::make_slot(options);
    const auto request    = inkling_test::fim_request("const a = 1;\n", "", 8);
    const auto first      = inkling_test::run_on(*on, request);
    const auto used_ms_in = [](std::chrono::milliseconds pause) {
        const std::clock_t before = std::clock();
        std::this_thread::sleep_for(pause);
        return 1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    };
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
#endif
}

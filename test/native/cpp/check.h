#pragma once

#include "engine/engine.h"

#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

// A test file registers its cases with TEST and ends with nothing: test_main.cpp has the main function. A failed check
// prints where and what and goes on; the process then exits with 1. A second argument
// runs only the cases whose names contain it.

namespace inkling_test {

void add_case(const char * name, std::function<void()> body);
void fail(const char * file, int line, const std::string & what);

// Runs the cases whose name holds `wanted`, with this as the starter model. Returns the exit code.
int run_cases(const std::string & model, const std::string & wanted);

// How often a test does what it does often: as often as it says or, where a sanitizer makes everything many times
// slower, an eighth of that, but twice at least. Of a list the first ones.
int scaled(int count);

template <typename Value> std::vector<Value> scaled(std::vector<Value> values) {
    values.resize(static_cast<size_t>(scaled(static_cast<int>(values.size()))));
    return values;
}

// Whether resident memory can be compared. Not under a sanitizer, where shadow memory counts and what is freed is kept
// to find its use; the output then says that `what` is left out.
bool memory_counts(const std::string & what);

// Threads of a slot for which a test wants one for each core. Under the address sanitizer one: two tests run at a time
// there, and two pools on two cores wait for each other most of the time. Under the thread sanitizer two, whatever the
// test wants: it is there to see them meet.
int32_t slot_threads(int32_t wanted);

// Given as the first argument of the test program.
const std::string & model_path();

// The starter model, loaded once per program.
std::shared_ptr<const inkling::model> starter_model();

template <typename Left, typename Right>
void check_equal(const Left & left, const Right & right, const char * expression, const char * file, int line) {
    if (!(left == right)) {
        std::ostringstream text;
        text << expression << ": got " << left << ", expected " << right;
        fail(file, line, text.str());
    }
}

// The code of the engine_error that body throws; "nothing" if it throws none.
std::string error_code_of(const std::function<void()> & body);

} // namespace inkling_test

#define INKLING_JOIN_(a, b) a##b
#define INKLING_JOIN(a, b) INKLING_JOIN_(a, b)
#define TEST(name)                                                                \
    static void       INKLING_JOIN(test_case_, __LINE__)();                       \
    static const bool INKLING_JOIN(test_added_, __LINE__) =                       \
        (inkling_test::add_case(name, INKLING_JOIN(test_case_, __LINE__)), true); \
    static void INKLING_JOIN(test_case_, __LINE__)()

#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            inkling_test::fail(__FILE__, __LINE__, #condition); \
        }                                                       \
    } while (false)

#define CHECK_EQUAL(left, right) inkling_test::check_equal((left), (right), #left, __FILE__, __LINE__)

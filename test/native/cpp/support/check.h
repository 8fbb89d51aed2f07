#pragma once

#include "engine/engine.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

// A test file registers its cases with TEST. test_main.cpp has the main function and describes how to run some of them.
// A failed check prints where and what failed, and the case continues. The process then exits with 1.

namespace inkling_test {

// `file` is the path of the test file. Its name without the extension is the name of the ctest.
void add_case(const char * file, const char * name, std::function<void()> body);
void fail(const char * file, int line, const std::string & what);

struct run_options {
    std::string model; // the starter model
    std::string file;  // runs the cases of this test file only; empty runs all
    std::string name;  // of those, runs the cases whose name contains this
};

// Returns the exit code. It is 1 if no case matches.
int run_cases(const run_options & options);

// How often a loop runs: `count` times the scale, but at least twice (or `count`, if that is less). The second form
// keeps the first elements of a list. INKLING_TEST_SCALE sets the scale: `full` is two fifths and keeps whole lists,
// `quick` is a fifth, `small` a twentieth. A number is the scale itself, so 10 runs every loop ten times. The default
// is quick, or small under a sanitizer.
int    scaled(int count);
size_t scaled_length(size_t count);

template <typename Value> std::vector<Value> scaled(std::vector<Value> values) {
    values.resize(scaled_length(values.size()));
    return values;
}

// Whether resident memory can be compared. Under a sanitizer it cannot: shadow memory counts, and freed memory is kept
// to find its use. The output then says that the test skips `what`.
bool memory_counts(const std::string & what);

// Whether the thread sanitizer runs. The starter model takes minutes under it.
bool under_thread_sanitizer();

// Threads of a slot: usually one, as several tests run at a time. The thread sanitizer always takes two, to see threads
// meet. The address sanitizer takes one, as it finds nothing more with two.
int32_t slot_threads(int32_t wanted);

const std::string & model_path();

// The text of a file below test/fixtures. Throws std::runtime_error if the file cannot be read.
std::string fixture_text(const std::string & name);

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
#define TEST(name)                                                                          \
    static void       INKLING_JOIN(test_case_, __LINE__)();                                 \
    static const bool INKLING_JOIN(test_added_, __LINE__) =                                 \
        (inkling_test::add_case(__FILE__, name, INKLING_JOIN(test_case_, __LINE__)), true); \
    static void INKLING_JOIN(test_case_, __LINE__)()

#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            inkling_test::fail(__FILE__, __LINE__, #condition); \
        }                                                       \
    } while (false)

#define CHECK_EQUAL(left, right) inkling_test::check_equal((left), (right), #left, __FILE__, __LINE__)

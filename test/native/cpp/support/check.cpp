#include "check.h"

#include "fake_gpu.h"
#include "slots.h"
#include "tiny_models.h"

#include "engine/base/log.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace inkling_test {

namespace {

enum class sanitizer { none, address, thread };

#if defined(__SANITIZE_ADDRESS__)
constexpr sanitizer UNDER = sanitizer::address;
#elif defined(__SANITIZE_THREAD__)
constexpr sanitizer UNDER = sanitizer::thread;
#else
constexpr sanitizer UNDER = sanitizer::none;
#endif

struct test_case {
    std::string           file;
    std::string           name;
    std::function<void()> body;
};

std::vector<test_case> & cases() {
    static std::vector<test_case> list;
    return list;
}

int         failures = 0;
std::string path;

struct test_scale {
    double loops;
    double lists;
};

test_scale scale() {
    const char * variable = std::getenv("INKLING_TEST_SCALE");
    std::string  asked    = variable == nullptr ? "" : variable;
    if (asked.empty()) {
        asked = UNDER == sanitizer::none ? "quick" : "small";
    }
    if (asked == "full") {
        return {0.4, 1.0};
    }
    if (asked == "quick") {
        return {0.2, 0.2};
    }
    if (asked == "small") {
        return {0.05, 0.05};
    }
    const double number = std::atof(asked.c_str());
    if (number <= 0.0) {
        std::cerr << "INKLING_TEST_SCALE is '" << asked << "'; it takes full, quick, small or a number above 0\n";
        std::exit(2);
    }
    return {number, number};
}

int times(int count, double factor) {
    return std::max(static_cast<int>(count * factor), std::min(count, 2));
}

std::shared_ptr<const inkling::model> & shared_model() {
    static std::shared_ptr<const inkling::model> loaded;
    return loaded;
}

} // namespace

void add_case(const char * file, const char * name, std::function<void()> body) {
    cases().push_back({std::filesystem::path(file).stem().string(), name, std::move(body)});
}

void fail(const char * file, int line, const std::string & what) {
    ++failures;
    std::cout << "  " << file << ":" << line << ": " << what << "\n";
}

int scaled(int count) {
    static const double by = scale().loops;
    return times(count, by);
}

size_t scaled_length(size_t count) {
    static const double by = scale().lists;
    return std::min(count, static_cast<size_t>(times(static_cast<int>(count), by)));
}

bool memory_counts(const std::string & what) {
    if (UNDER != sanitizer::none) {
        std::cout << "     left out under a sanitizer: " << what << "\n";
    }
    return UNDER == sanitizer::none;
}

bool under_thread_sanitizer() {
    return UNDER == sanitizer::thread;
}

int32_t slot_threads(int32_t wanted) {
    switch (UNDER) {
        case sanitizer::address: return 1;
        case sanitizer::thread: return 2;
        case sanitizer::none: break;
    }
    return wanted;
}

const std::string & model_path() {
    return path;
}

std::string fixture_text(const std::string & name) {
    std::ifstream      file(INKLING_FIXTURES "/" + name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file || text.str().empty()) {
        throw std::runtime_error("There is no fixture " + name);
    }
    return text.str();
}

std::shared_ptr<const inkling::model> starter_model() {
    if (shared_model() == nullptr) {
        inkling::model_load_params params;
        params.path    = path;
        shared_model() = inkling::model::load(params);
    }
    return shared_model();
}

std::string error_code_of(const std::function<void()> & body) {
    try {
        body();
    } catch (const inkling::engine_error & error) {
        return inkling::to_string(error.code());
    }
    return "nothing";
}

int run_cases(const run_options & options) {
    path = options.model;
    inkling::initialise_backend();
    if (const char * gpu = std::getenv("INKLING_TEST_GPU"); gpu != nullptr && gpu == std::string("fake")) {
        fake_gpu::install();
    }
    int ran = 0;
    for (const test_case & each : cases()) {
        if ((!options.file.empty() && each.file != options.file) || each.name.find(options.name) == std::string::npos) {
            continue;
        }
        ++ran;
        const int  before = failures;
        const auto start  = std::chrono::steady_clock::now();
        try {
            each.body();
        } catch (const std::exception & error) {
            fail(each.name.c_str(), 0, std::string("threw ") + error.what());
        }
        const auto took =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
        std::cout << (failures == before ? "ok   " : "FAIL ") << each.name << " (" << took.count() << " ms)"
                  << std::endl;
    }
    if (ran == 0) {
        fail("all cases", 0, "no case of '" + options.file + "' has '" + options.name + "' in its name");
    }
    if (!noise_is_small()) {
        fail("all cases", 0, "answers differ by more than batches of another size explain");
    }
    shared_model().reset();
    release_tiny_models();
    return failures == 0 ? 0 : 1;
}

} // namespace inkling_test

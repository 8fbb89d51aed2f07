#include "check.h"

#include "slots.h"
#include "tiny_models.h"

#include "engine/base/log.h"

#include <algorithm>
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

std::vector<std::pair<const char *, std::function<void()>>> & cases() {
    static std::vector<std::pair<const char *, std::function<void()>>> list;
    return list;
}

int         failures = 0;
std::string path;

std::shared_ptr<const inkling::model> & shared_model() {
    static std::shared_ptr<const inkling::model> loaded;
    return loaded;
}

} // namespace

void add_case(const char * name, std::function<void()> body) {
    cases().emplace_back(name, std::move(body));
}

void fail(const char * file, int line, const std::string & what) {
    ++failures;
    std::cout << "  " << file << ":" << line << ": " << what << "\n";
}

int scaled(int count) {
    return UNDER == sanitizer::none ? count : std::min(count, std::max(2, count / 8));
}

bool memory_counts(const std::string & what) {
    if (UNDER != sanitizer::none) {
        std::cout << "     left out under a sanitizer: " << what << "\n";
    }
    return UNDER == sanitizer::none;
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

int run_cases(const std::string & model, const std::string & wanted) {
    path = model;
    inkling::initialise_backend();
    for (const auto & [name, body] : cases()) {
        if (std::string(name).find(wanted) == std::string::npos) {
            continue;
        }
        const int before = failures;
        try {
            body();
        } catch (const std::exception & error) {
            fail(name, 0, std::string("threw ") + error.what());
        }
        std::cout << (failures == before ? "ok   " : "FAIL ") << name << std::endl;
    }
    if (!noise_is_small()) {
        fail("all cases", 0, "answers differ by more than batches of another size explain");
    }
    shared_model().reset();
    release_tiny_models();
    return failures == 0 ? 0 : 1;
}

} // namespace inkling_test

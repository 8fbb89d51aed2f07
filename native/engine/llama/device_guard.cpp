#include "engine/llama/device_guard.h"

#include "engine/base/error.h"
#include "engine/base/log.h"

#include "llama-ext.h"
#include "llama.h"

#include <new>
#include <sstream>
#include <string>

namespace inkling {

namespace {

// llama_decode where a backend could not compute a graph.
constexpr int COMPUTE_FAILED = -3;

// Whether all of these lines tell of a buffer that a device has no memory for.
bool tells_of_memory_only(const std::string & log) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("allocat") == std::string::npos && line.find("failed to reserve") == std::string::npos) {
            return false;
        }
    }
    return true;
}

[[noreturn]] void throw_failed(const char * what, const std::string & why) {
    throw engine_error(error_code::device_failed,
                       std::string(what) + " failed on the GPU: " + why.substr(0, why.find_last_not_of('\n') + 1));
}

} // namespace

int on_devices(const llama_model * model, const char * what, const std::function<int()> & work) {
    if (llama_model_n_devices(model) == 0) {
        return work();
    }
    const error_log_capture errors;
    int                     status = 0;
    try {
        status = work();
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception & error) {
        throw_failed(what, error.what());
    }
    // A decode that is refused for another reason also logs it. One that succeeds does without a buffer where there was
    // no memory for it: llama.cpp keeps fewer graphs then.
    if (status == COMPUTE_FAILED || (status == 0 && !tells_of_memory_only(errors.text()))) {
        throw_failed(what, errors.text());
    }
    return status;
}

} // namespace inkling

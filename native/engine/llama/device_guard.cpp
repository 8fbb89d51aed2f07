#include "engine/llama/device_guard.h"

#include "engine/base/error.h"
#include "engine/base/log.h"

#include "llama-ext.h"
#include "llama.h"

#include <new>
#include <string>

namespace inkling {

namespace {

// llama_decode where a backend could not compute a graph.
constexpr int COMPUTE_FAILED = -3;

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
    // A decode that is refused for another reason also logs it.
    if (status == COMPUTE_FAILED || (status == 0 && !errors.text().empty())) {
        throw_failed(what, errors.text());
    }
    return status;
}

} // namespace inkling

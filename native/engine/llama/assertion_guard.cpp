#include "engine/llama/assertion_guard.h"

#include "ggml.h"

#include <cstdio>
#include <mutex>
#include <stdexcept>

// What ggml calls itself where no callback is set; its public headers do not declare it.
extern "C" void ggml_print_backtrace(void);

namespace inkling {

namespace {

thread_local bool guarded = false;

// ggml ends the process where this returns. It does not return to its caller either way, so ggml's C is compiled to let
// an exception through (native/cmake/llama.cmake).
void on_failed_assertion(const char * message) {
    if (guarded) {
        throw std::runtime_error(message);
    }
    std::fprintf(stderr, "%s\n", message);
    ggml_print_backtrace();
}

} // namespace

assertion_guard::assertion_guard() : outer_(guarded) {
    static std::once_flag once;
    std::call_once(once, [] { ggml_set_abort_callback(on_failed_assertion); });
    guarded = true;
}

assertion_guard::~assertion_guard() {
    guarded = outer_;
}

} // namespace inkling

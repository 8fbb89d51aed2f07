#include "addon/engine_wrap.h"
#include "addon/estimate.h"
#include "addon/flavour/flavour.h"
#include "addon/watchdog/watchdog_wrap.h"
#include "engine/base/version.h"

#include <napi.h>

namespace {

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
    exports.Set("llamaVersion", Napi::String::New(env, inkling::llama_version_text()));
    exports.Set("flavour", Napi::String::New(env, inkling::addon_flavour()));
    exports.Set("estimateMemory", Napi::Function::New<inkling::estimate_memory_call>(env, "estimateMemory"));
    exports.Set("Engine", inkling::engine_wrap::define(env));
    exports.Set("Watchdog", inkling::watchdog_wrap::define(env));
    inkling::add_flavour_exports(env, exports);
    return exports;
}

} // namespace

NODE_API_MODULE(inkling, initialise)

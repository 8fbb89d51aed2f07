#include "addon/estimate.h"

#include "addon/calls/promise_worker.h"
#include "addon/convert/convert.h"
#include "engine/base/log.h"
#include "engine/memory/memory_estimate.h"

namespace inkling {

Napi::Value estimate_memory_call(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    try {
        return promise_worker<memory_estimate>::run(
            env,
            [request = read_load_request(object_reader(info[0], "options"))] {
                initialise_backend();
                return estimate_memory(request);
            },
            [](Napi::Env result_env, const memory_estimate & estimate) { return to_js(result_env, estimate); });
    } catch (...) {
        throw_to_js(env);
    }
}

} // namespace inkling

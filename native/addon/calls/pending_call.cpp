#include "addon/calls/pending_call.h"

#include "addon/calls/settle.h"
#include "addon/convert/convert.h"

namespace inkling {

pending_call::pending_call(Napi::Env env, Napi::Object self, const std::optional<Napi::Function> & function,
                           std::shared_ptr<event_queue> queue)
    : deferred(env), owner(Napi::Persistent(self)), events(std::move(queue)) {
    if (function) {
        callback = Napi::Persistent(*function);
    }
    events->hold(env);
}

std::optional<Napi::Error> pending_call::release(Napi::Env env) {
    std::optional<Napi::Error> error = std::move(thrown);
    callback.reset();
    owner.reset();
    thrown.reset();
    events->let_go(env);
    return error;
}

bool pending_call::call(const Napi::Value & argument) {
    if (!callback || thrown) {
        return thrown.has_value();
    }
    try {
        callback->Call({argument});
    } catch (const Napi::Error & error) {
        thrown = error;
    }
    return thrown.has_value();
}

void pending_call::resolve(Napi::Env env, const std::function<Napi::Value()> & make) {
    const auto own = release(env);
    settle(env, deferred, [&] {
        if (own) {
            throw Napi::Error(*own);
        }
        return make();
    });
}

void pending_call::reject(Napi::Env env, const engine_error & error) {
    resolve(env, [&]() -> Napi::Value { throw to_js_error(env, error); });
}

} // namespace inkling

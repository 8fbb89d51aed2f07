#pragma once

#include "addon/convert/convert.h"

#include <napi.h>

#include <optional>

namespace inkling {

// Resolves a promise with what make() returns, or rejects it with what make() throws: a result that JavaScript has no
// room for must not leave a promise open.
template <typename Function>
void settle(Napi::Env env, const Napi::Promise::Deferred & deferred, const Function & make) {
    std::optional<Napi::Value> value;
    try {
        value = make();
    } catch (...) {
        deferred.Reject(current_js_error(env).Value());
        return;
    }
    deferred.Resolve(*value);
}

} // namespace inkling

// In place of flavour.cpp in inkling-vulkan.node: the devices of this machine, which the other flavours know nothing
// of.
#include "addon/calls/promise_worker.h"
#include "addon/flavour/flavour.h"
#include "engine/base/log.h"
#include "engine/llama/device_trial.h"
#include "vulkan/vulkan_devices.h"

namespace inkling {

namespace {

const char * to_string(vulkan_kind kind) {
    switch (kind) {
        case vulkan_kind::discrete: return "discrete";
        case vulkan_kind::integrated: return "integrated";
        case vulkan_kind::cpu: return "cpu";
    }
    return "cpu";
}

// devices(): in ggml's order, with the memory that they have free now.
Napi::Value devices(const Napi::CallbackInfo & info) {
    const Napi::Env env  = info.Env();
    Napi::Array     list = Napi::Array::New(env);
    try {
        for (const vulkan_device & each : list_vulkan_devices()) {
            Napi::Object device = Napi::Object::New(env);
            device.Set("id", each.id);
            device.Set("name", each.name);
            device.Set("driver", each.driver);
            device.Set("kind", to_string(each.kind));
            device.Set("totalBytes", static_cast<double>(each.total));
            device.Set("freeBytes", static_cast<double>(each.free));
            list.Set(list.Length(), device);
        }
    } catch (...) {
        throw_to_js(env);
    }
    return list;
}

// tryDevice(id): computes on it, and rejects if that fails; on libuv's pool.
Napi::Value try_device_call(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    try {
        return promise_worker<device_trial>::run(
            env,
            [id = read_device(info[0], "id")] {
                initialise_backend();
                return try_device(id);
            },
            [](Napi::Env result_env, const device_trial & trial) {
                Napi::Object result = Napi::Object::New(result_env);
                result.Set("deviceMs", trial.device_ms);
                result.Set("cpuMs", trial.cpu_ms);
                return result;
            });
    } catch (...) {
        throw_to_js(env);
    }
}

} // namespace

const char * addon_flavour() {
    return "vulkan";
}

void add_flavour_exports(Napi::Env env, Napi::Object exports) {
    // From now on ggml's lines go to the log, and not to stderr.
    initialise_backend();
    register_vulkan_devices();
    exports.Set("devices", Napi::Function::New<devices>(env, "devices"));
    exports.Set("tryDevice", Napi::Function::New<try_device_call>(env, "tryDevice"));
}

} // namespace inkling

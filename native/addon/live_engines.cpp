#include "addon/live_engines.h"

namespace inkling {

namespace {

// Engines hold the list themselves: they may be finalized after the environment's data is.
struct environment_data {
    std::shared_ptr<live_engines> engines = std::make_shared<live_engines>();
};

} // namespace

void live_engines::create(Napi::Env env) {
    // The environment owns and deletes it.
    auto * data = new environment_data;
    env.SetInstanceData(data);

    // process.exit() runs no cleanup hooks, but it runs the destructors of static objects, ggml's kernels among them.
    // An engine thread that still computes with those would crash. The `exit` event is the last moment before that.
    const Napi::Value process = env.Global().Get("process");
    if (!process.IsObject()) {
        return;
    }
    const Napi::Value on = process.As<Napi::Object>().Get("on");
    if (on.IsFunction()) {
        const auto listener = Napi::Function::New(
            env, [engines = data->engines](const Napi::CallbackInfo &) { engines->shut_down_all(); });
        on.As<Napi::Function>().Call(process, {Napi::String::New(env, "exit"), listener});
    }
}

std::shared_ptr<live_engines> live_engines::of(Napi::Env env) {
    return env.GetInstanceData<environment_data>()->engines;
}

void live_engines::shut_down_all() {
    while (!engines_.empty()) {
        // A copy, because it is removed from the list while it runs.
        const std::function<void()> shut_down = engines_.begin()->second;
        shut_down();
    }
}

} // namespace inkling

#include "addon/watchdog/watchdog_wrap.h"

#include "addon/convert/convert.h"

namespace inkling {

namespace {

constexpr int64_t LONGEST_MS = 3'600'000;

} // namespace

Napi::Function watchdog_wrap::define(Napi::Env env) {
    return DefineClass(env, "Watchdog",
                       {
                           InstanceMethod<&watchdog_wrap::beat>("beat"),
                           InstanceMethod<&watchdog_wrap::follow>("follow"),
                           InstanceMethod<&watchdog_wrap::watch_sigterm>("watchSigterm"),
                           InstanceMethod<&watchdog_wrap::stop>("stop"),
                       });
}

watchdog_wrap::watchdog_wrap(const Napi::CallbackInfo & info) : Napi::ObjectWrap<watchdog_wrap>(info) {
    Napi::Env env = info.Env();
    try {
        const object_reader options(info[0], "options");
        const auto          stall_ms     = static_cast<uint32_t>(options.integer("stallMs", 0, LONGEST_MS));
        const auto          abandoned_ms = static_cast<uint32_t>(options.integer("abandonedMs", 0, LONGEST_MS));
        watchdog_                        = std::make_unique<watchdog>(stall_ms, abandoned_ms);
    } catch (...) {
        throw_to_js(env);
    }
    cleanup_hook_ = env.AddCleanupHook(
        +[](watchdog_wrap * self) {
            self->cleanup_hook_set_ = false;
            self->watchdog_->stop();
        },
        this);
    cleanup_hook_set_ = true;
}

watchdog_wrap::~watchdog_wrap() {
    if (cleanup_hook_set_) {
        cleanup_hook_.Remove(Env());
    }
}

void watchdog_wrap::beat(const Napi::CallbackInfo &) {
    watchdog_->beat();
}

void watchdog_wrap::follow(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    if (!info[0].IsNumber() || info[0].As<Napi::Number>().Int64Value() <= 0) {
        const engine_error error(error_code::invalid_argument,
                                 "processId must be a positive number, not " + describe(info[0]));
        throw to_js_error(env, error);
    }
    watchdog_->follow(info[0].As<Napi::Number>().Int64Value());
}

void watchdog_wrap::watch_sigterm(const Napi::CallbackInfo &) {
    watchdog_->watch_sigterm();
}

void watchdog_wrap::stop(const Napi::CallbackInfo &) {
    watchdog_->stop();
}

} // namespace inkling

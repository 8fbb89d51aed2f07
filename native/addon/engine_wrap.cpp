#include "addon/engine_wrap.h"

#include "addon/calls/pending_call.h"
#include "addon/calls/promise_worker.h"
#include "addon/convert/convert.h"
#include "engine/base/log.h"

#include <optional>

namespace inkling {

namespace {

// Random, as Node-API asks.
constexpr napi_type_tag ENGINE_TAG = {0x5f0a3f3a9c1e4d27, 0xb1c86a1f0e7d4953};

Napi::Value rejected(Napi::Env env, const engine_error & error) {
    const Napi::Promise::Deferred deferred(env);
    deferred.Reject(to_js_error(env, error).Value());
    return deferred.Promise();
}

// Bad arguments throw. Every other failure of a call that returns a promise rejects the promise.
template <typename Function> Napi::Value promise_of(Napi::Env env, const Function & function) {
    try {
        return function();
    } catch (const Napi::Error &) {
        throw;
    } catch (...) {
        const engine_error error = current_error();
        if (error.code() == error_code::invalid_argument) {
            throw to_js_error(env, error);
        }
        return rejected(env, error);
    }
}

} // namespace

Napi::Function engine_wrap::define(Napi::Env env) {
    live_engines::create(env);
    return DefineClass(env, "Engine",
                       {
                           InstanceMethod<&engine_wrap::load>("load"),
                           InstanceMethod<&engine_wrap::cancel_load>("cancelLoad"),
                           InstanceAccessor<&engine_wrap::facts>("facts"),
                           InstanceMethod<&engine_wrap::tokenize>("tokenize"),
                           InstanceMethod<&engine_wrap::detokenize>("detokenize"),
                           InstanceMethod<&engine_wrap::generate>("generate"),
                           InstanceMethod<&engine_wrap::release>("release"),
                           InstanceMethod<&engine_wrap::inspect_keys>("inspectKeys"),
                           InstanceMethod<&engine_wrap::memory>("memory"),
                           InstanceMethod<&engine_wrap::close>("close"),
                       });
}

engine_wrap::engine_wrap(const Napi::CallbackInfo & info) : Napi::ObjectWrap<engine_wrap>(info) {
    Napi::Env                     env = info.Env();
    std::optional<Napi::Function> on_log;
    try {
        if (!info[0].IsUndefined()) {
            on_log = object_reader(info[0], "options").function("onLog");
        }
        // First, as the queue needs an end.
        engine_ = std::make_shared<engine>();
    } catch (...) {
        throw_to_js(env);
    }
    Value().TypeTag(&ENGINE_TAG);
    events_ = std::make_shared<event_queue>(env);
    if (on_log) {
        // The object holds its listener, and this reference is weak. Otherwise a listener that refers to the engine
        // would keep the engine from the garbage collector. Only events touch the reference; they run on the JavaScript
        // thread and end with the queue.
        auto callback = std::make_shared<Napi::FunctionReference>(Napi::Weak(*on_log));
        Value().DefineProperty(Napi::PropertyDescriptor::Value(Napi::Symbol::New(env, "onLog"), *on_log));
        log_sink_ = add_log_sink([events = std::weak_ptr(events_), callback](int level, const std::string & text) {
            if (const auto queue = events.lock()) {
                queue->post([callback, level, text](Napi::Env event_env) {
                    const Napi::Function listener = callback->Value();
                    if (listener.IsEmpty()) {
                        return;
                    }
                    try {
                        listener.Call({Napi::Number::New(event_env, level), Napi::String::New(event_env, text)});
                    } catch (const Napi::Error &) {
                        // A broken log listener must not take the engine down, and there is nowhere to log it.
                    }
                });
            }
        });
    }
    live_ = live_engines::of(env);
    live_->add(this, [this] { shut_down(); });
    cleanup_hook_ = env.AddCleanupHook(
        +[](engine_wrap * self) {
            self->cleanup_hook_set_ = false;
            self->shut_down();
        },
        this);
    cleanup_hook_set_ = true;
}

engine_wrap::~engine_wrap() {
    // A constructor that threw leaves none of this behind.
    if (live_ == nullptr) {
        return;
    }
    shut_down();
    if (cleanup_hook_set_) {
        cleanup_hook_.Remove(Env());
    }
}

void engine_wrap::shut_down() {
    if (shut_down_) {
        return;
    }
    shut_down_ = true;
    closed_    = true;
    live_->remove(this);
    engine_->close();
    if (log_sink_ != 0) {
        remove_log_sink(log_sink_);
    }
    events_->release();
}

void engine_wrap::require_open() const {
    if (closed_) {
        throw engine_error(error_code::closed, "The engine is closed");
    }
}

std::shared_ptr<const model> engine_wrap::require_model() const {
    require_open();
    auto loaded = engine_->loaded_model();
    if (loaded == nullptr) {
        throw engine_error(error_code::not_loaded, "No model is loaded");
    }
    return loaded;
}

Napi::Value engine_wrap::load(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return promise_of(env, [&]() -> Napi::Value {
        const object_reader options(info[0], "options");
        load_request        request     = read_load_request(options);
        const auto          on_progress = options.function("onProgress");
        require_open();

        auto           call = std::make_shared<pending_call>(env, Value(), on_progress, events_);
        load_callbacks callbacks;
        if (on_progress) {
            callbacks.progress = [call, engine = engine_.get(), last = -1](float fraction) mutable {
                constexpr int READ    = 100; // all of the file; each step after that is told
                const int     percent = static_cast<int>(fraction * 100.0f);
                if (percent == last && percent < READ) {
                    return;
                }
                last = percent;
                call->events->post([call, engine, fraction](Napi::Env event_env) {
                    if (call->call(Napi::Number::New(event_env, static_cast<double>(fraction)))) {
                        engine->cancel_load();
                    }
                });
            };
        }
        callbacks.done = [call](const loaded_facts & facts) {
            call->events->post([call, facts](Napi::Env event_env) {
                call->resolve(event_env, [&] { return to_js(event_env, facts); });
            });
        };
        callbacks.failed = [call](const engine_error & error) {
            call->events->post([call, error](Napi::Env event_env) { call->reject(event_env, error); });
        };
        const Napi::Promise promise = call->deferred.Promise();
        try {
            engine_->load(std::move(request), std::move(callbacks));
        } catch (...) {
            call->reject(env, current_error());
        }
        return promise;
    });
}

Napi::Value engine_wrap::cancel_load(const Napi::CallbackInfo & info) {
    engine_->cancel_load();
    return info.Env().Undefined();
}

Napi::Value engine_wrap::facts(const Napi::CallbackInfo & info) {
    // V8 refuses other receivers for methods, but not for accessors: one of the addon's other classes would come here.
    if (!info.This().As<Napi::Object>().CheckTypeTag(&ENGINE_TAG)) {
        throw Napi::TypeError::New(info.Env(), "facts belongs to engines");
    }
    const auto known = engine_->facts();
    return known && !closed_ ? to_js(info.Env(), *known) : info.Env().Null();
}

Napi::Value engine_wrap::tokenize(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return promise_of(env, [&]() -> Napi::Value {
        std::string text   = read_string(info[0], "text");
        const bool special = !info[1].IsUndefined() && object_reader(info[1], "options").boolean("parseSpecial", false);
        using tokens       = std::vector<token_id>;
        return promise_worker<tokens>::run(
            env,
            [loaded = require_model(), text = std::move(text), special] { return loaded->tokenize(text, special); },
            [](Napi::Env result_env, const tokens & result) -> Napi::Value {
                Napi::Int32Array array = Napi::Int32Array::New(result_env, result.size());
                std::copy(result.begin(), result.end(), array.Data());
                return array;
            });
    });
}

Napi::Value engine_wrap::detokenize(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return promise_of(env, [&]() -> Napi::Value {
        std::vector<token_id> tokens = read_tokens(info[0], "tokens");
        const bool special = !info[1].IsUndefined() && object_reader(info[1], "options").boolean("special", false);
        const auto loaded  = require_model();
        for (const token_id token : tokens) {
            if (!loaded->is_token(token)) {
                throw engine_error(error_code::invalid_argument,
                                   "tokens: " + std::to_string(token) + " is not a token of this model");
            }
        }
        return promise_worker<std::string>::run(
            env, [loaded, tokens = std::move(tokens), special] { return loaded->detokenize(tokens, special); },
            [](Napi::Env result_env, const std::string & text) -> Napi::Value {
                return Napi::String::New(result_env, text);
            });
    });
}

Napi::Value engine_wrap::generate(const Napi::CallbackInfo & info) {
    const Napi::Env               env = info.Env();
    generation_request            request;
    std::optional<Napi::Function> on_text;
    try {
        request = read_generation_request(info[0]);
        if (!info[1].IsUndefined()) {
            if (!info[1].IsFunction()) {
                throw engine_error(error_code::invalid_argument, "onText must be a function, not " + describe(info[1]));
            }
            on_text = info[1].As<Napi::Function>();
        }
    } catch (...) {
        throw_to_js(env);
    }

    auto                 call = std::make_shared<pending_generation>(env, Value(), on_text, events_);
    generation_callbacks callbacks;
    callbacks.text = [call](const std::string & text) {
        {
            const std::lock_guard<std::mutex> lock(call->mutex);
            const bool                        scheduled = !call->text.empty();
            call->text += text;
            if (scheduled || !call->callback) {
                return;
            }
        }
        call->events->post([call](Napi::Env event_env) {
            std::string batch;
            {
                const std::lock_guard<std::mutex> lock(call->mutex);
                batch.swap(call->text);
            }
            if (call->call(Napi::String::New(event_env, batch))) {
                call->abort->set();
            }
        });
    };
    callbacks.done = [call](const generation_result & result) {
        call->events->post([call, result](Napi::Env event_env) {
            call->resolve(event_env, [&] { return to_js(event_env, result); });
        });
    };
    callbacks.failed = [call](const engine_error & error) {
        call->events->post([call, error](Napi::Env event_env) { call->reject(event_env, error); });
    };

    Napi::Object handle = Napi::Object::New(env);
    handle.Set("result", call->deferred.Promise());
    call->abort = std::make_shared<abort_flag>();
    try {
        require_open();
        engine_->generate(std::move(request), std::move(callbacks), call->abort);
    } catch (...) {
        call->reject(env, current_error());
    }
    handle.Set("abort", Napi::Function::New(env, [abort = call->abort](const Napi::CallbackInfo &) { abort->set(); }));
    return handle;
}

Napi::Value engine_wrap::release(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return promise_of(env, [&]() -> Napi::Value {
        const release_target what = read_release_target(info[0]);
        require_open();
        auto                call    = std::make_shared<pending_call>(env, Value(), std::nullopt, events_);
        const Napi::Promise promise = call->deferred.Promise();
        try {
            engine_->release(what, [call] {
                call->events->post(
                    [call](Napi::Env event_env) { call->resolve(event_env, [&] { return event_env.Undefined(); }); });
            });
        } catch (...) {
            call->reject(env, current_error());
        }
        return promise;
    });
}

Napi::Value engine_wrap::inspect_keys(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return promise_of(env, [&]() -> Napi::Value {
        std::vector<prompt_part> prompt = read_prompt(info[0], "prompt");
        require_open();
        auto                call    = std::make_shared<pending_call>(env, Value(), std::nullopt, events_);
        const Napi::Promise promise = call->deferred.Promise();
        try {
            engine_->inspect_keys(
                std::move(prompt),
                [call](const key_vectors & keys) {
                    call->events->post([call, keys](Napi::Env event_env) {
                        call->resolve(event_env, [&] { return to_js(event_env, keys); });
                    });
                },
                [call](const engine_error & error) {
                    call->events->post([call, error](Napi::Env event_env) { call->reject(event_env, error); });
                });
        } catch (...) {
            call->reject(env, current_error());
        }
        return promise;
    });
}

Napi::Value engine_wrap::memory(const Napi::CallbackInfo & info) {
    return to_js(info.Env(), engine_->memory());
}

Napi::Value engine_wrap::close(const Napi::CallbackInfo & info) {
    // The worker waits for the engine thread. What that thread posted is delivered before the promise settles.
    closed_         = true;
    auto keep_alive = std::make_shared<Napi::ObjectReference>(Napi::Persistent(Value()));
    return promise_worker<bool>::run(
        info.Env(),
        [engine = engine_] {
            engine->close();
            return true;
        },
        [events = events_, keep_alive, this](Napi::Env env, const bool &) -> Napi::Value {
            events->drain(env);
            shut_down();
            keep_alive->Reset();
            return env.Undefined();
        });
}

} // namespace inkling

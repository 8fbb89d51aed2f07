#pragma once

#include "addon/calls/event_queue.h"
#include "addon/live_engines.h"
#include "engine/engine.h"

#include <napi.h>

#include <memory>

namespace inkling {

// The JavaScript class `Engine`, which owns one inkling::engine. close(), the garbage collector, the end of the
// environment and the exit of the process all lead to the same shutdown, once.
class engine_wrap : public Napi::ObjectWrap<engine_wrap> {
  public:
    // Once per environment.
    static Napi::Function define(Napi::Env env);

    explicit engine_wrap(const Napi::CallbackInfo & info);
    ~engine_wrap() override;

  private:
    Napi::Value load(const Napi::CallbackInfo & info);
    Napi::Value cancel_load(const Napi::CallbackInfo & info);
    Napi::Value facts(const Napi::CallbackInfo & info);
    Napi::Value tokenize(const Napi::CallbackInfo & info);
    Napi::Value detokenize(const Napi::CallbackInfo & info);
    Napi::Value generate(const Napi::CallbackInfo & info);
    Napi::Value release(const Napi::CallbackInfo & info);
    Napi::Value inspect_keys(const Napi::CallbackInfo & info);
    Napi::Value memory(const Napi::CallbackInfo & info);
    Napi::Value close(const Napi::CallbackInfo & info);

    void                         require_open() const;
    std::shared_ptr<const model> require_model() const;
    // Stops and frees everything at once, on the JavaScript thread; nothing is delivered any more. Idempotent.
    void                         shut_down();

    // Shared with workers and events that may outlive this object.
    std::shared_ptr<event_queue>  events_;
    std::shared_ptr<engine>       engine_;
    // Shared with every engine of this environment and its exit listener.
    std::shared_ptr<live_engines> live_;
    int                           log_sink_  = 0;
    // close() was called, or the engine was shut down without it.
    bool                          closed_    = false;
    bool                          shut_down_ = false;

    Napi::Env::CleanupHook<void (*)(engine_wrap *), engine_wrap> cleanup_hook_;
    bool                                                         cleanup_hook_set_ = false;
};

} // namespace inkling

#pragma once

#include "addon/event_queue.h"
#include "engine/engine.h"

#include <napi.h>

#include <memory>

namespace inkling {

// The JavaScript class `Engine`. It owns one inkling::engine; closing it, losing it to the garbage collector and the
// end of the environment all lead to the same shutdown, once.
class engine_wrap : public Napi::ObjectWrap<engine_wrap> {
  public:
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
    Napi::Value last_metrics(const Napi::CallbackInfo & info);
    Napi::Value memory(const Napi::CallbackInfo & info);
    Napi::Value close(const Napi::CallbackInfo & info);

    std::shared_ptr<const model> require_model() const;
    void                         shut_down();

    // Shared with workers and events that may outlive this object.
    std::shared_ptr<event_queue> events_;
    std::shared_ptr<engine>      engine_;
    int                          log_sink_  = 0;
    bool                         shut_down_ = false;

    Napi::Env::CleanupHook<void (*)(engine_wrap *), engine_wrap> cleanup_hook_;
};

} // namespace inkling

#pragma once

#include "addon/calls/event_queue.h"
#include "engine/base/abort_flag.h"
#include "engine/base/error.h"

#include <napi.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace inkling {

// A promise that the engine thread settles through the event queue, with the callback of the same call. JavaScript
// references must be dropped on the JavaScript thread, but the engine thread may be the last holder of a job. So the
// code that settles the job empties it first. Precondition for every method: on the JavaScript thread.
struct pending_call {
    Napi::Promise::Deferred                deferred;
    std::optional<Napi::FunctionReference> callback;
    std::optional<Napi::ObjectReference>   owner;  // keeps the Engine object alive while it works
    std::optional<Napi::Error>             thrown; // by callback
    std::shared_ptr<event_queue>           events;

    pending_call(Napi::Env env, Napi::Object self, const std::optional<Napi::Function> & function,
                 std::shared_ptr<event_queue> queue);

    // A callback that throws ends the call it belongs to with its own error. Returns whether it has thrown.
    bool call(const Napi::Value & argument);

    // With what make() returns. What it throws, or callback threw, rejects the promise.
    void resolve(Napi::Env env, const std::function<Napi::Value()> & make);
    void reject(Napi::Env env, const engine_error & error);

  private:
    // Returns what the callback threw, if it did.
    std::optional<Napi::Error> release(Napi::Env env);
};

struct pending_generation : pending_call {
    using pending_call::pending_call;

    std::mutex                  mutex;
    std::string                 text; // streamed but not yet delivered
    std::shared_ptr<abort_flag> abort;
};

} // namespace inkling

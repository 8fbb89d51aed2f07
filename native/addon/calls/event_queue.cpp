#include "addon/calls/event_queue.h"

#include "addon/convert/convert.h"

namespace inkling {

namespace {

// Tells JavaScript of the exception that is being handled, as one that nobody caught.
void report_uncaught(Napi::Env env) {
    try {
        napi_fatal_exception(env, current_js_error(env).Value());
    } catch (const Napi::Error &) {
        // The environment is ending: it takes no value any more.
    }
}

} // namespace

event_queue::event_queue(Napi::Env env) {
    wake_ = Napi::ThreadSafeFunction::New(env, Napi::Function(), "inkling events", 0, 1);
    wake_.Unref(env);
}

void event_queue::post(event item) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (released_) {
        return;
    }
    events_.push_back(std::move(item));
    // One wake-up delivers everything that has gathered by then, so text comes in batches.
    if (!wake_pending_) {
        // The wake-up may come after the queue is gone; close() delivers what waits without it.
        wake_pending_ = wake_.NonBlockingCall([queue = weak_from_this()](Napi::Env env, Napi::Function) {
            if (const auto alive = queue.lock()) {
                alive->drain(env);
            }
        }) == napi_ok;
    }
}

void event_queue::drain(Napi::Env env) {
    std::deque<event> batch;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        wake_pending_ = false;
        batch.swap(events_);
    }
    for (event & item : batch) {
        const Napi::HandleScope scope(env);
        try {
            item(env);
        } catch (...) {
            // The other events still come: each may settle a promise.
            report_uncaught(env);
        }
    }
}

void event_queue::hold(Napi::Env env) {
    if (holders_++ == 0 && !released_) {
        wake_.Ref(env);
    }
}

void event_queue::let_go(Napi::Env env) {
    if (--holders_ == 0 && !released_) {
        wake_.Unref(env);
    }
}

void event_queue::release() {
    std::deque<event> dropped;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (released_) {
            return;
        }
        released_ = true;
        // Events hold references to JavaScript values, which must end on this thread, and to this queue.
        dropped.swap(events_);
    }
    wake_.Release();
}

} // namespace inkling

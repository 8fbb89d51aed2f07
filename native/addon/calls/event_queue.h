#pragma once

#include <napi.h>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace inkling {

// Brings work from the engine thread to the JavaScript thread, in order. Each engine creates one before its cleanup
// hook. Hooks run last in, first out, so at exit the engine thread ends before this queue.
class event_queue : public std::enable_shared_from_this<event_queue> {
  public:
    using event = std::function<void(Napi::Env)>;

    // Precondition for everything but post(): on the JavaScript thread. Held by shared pointers only.
    explicit event_queue(Napi::Env env);

    event_queue(const event_queue &)             = delete;
    event_queue & operator=(const event_queue &) = delete;

    // From any thread. Dropped after release().
    void post(event item);
    // Runs what is waiting. What an event throws becomes an uncaught exception of JavaScript.
    void drain(Napi::Env env);
    // The process stays alive while something holds it.
    void hold(Napi::Env env);
    void let_go(Napi::Env env);
    // No event is delivered afterwards; what still waits is dropped. Idempotent.
    void release();

  private:
    Napi::ThreadSafeFunction wake_;
    std::mutex               mutex_;
    std::deque<event>        events_;
    bool                     wake_pending_ = false;
    bool                     released_     = false;
    int                      holders_      = 0;
};

} // namespace inkling

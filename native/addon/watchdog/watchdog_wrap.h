#pragma once

#include "addon/watchdog/watchdog.h"

#include <napi.h>

#include <memory>

namespace inkling {

// The JavaScript class `Watchdog`. Each environment may have one of its own, which watches that environment's loop. It
// ends with stop(), the garbage collector or the environment, whichever comes first.
class watchdog_wrap : public Napi::ObjectWrap<watchdog_wrap> {
  public:
    // Once per environment.
    static Napi::Function define(Napi::Env env);

    explicit watchdog_wrap(const Napi::CallbackInfo & info);
    ~watchdog_wrap() override;

  private:
    void beat(const Napi::CallbackInfo & info);
    void follow(const Napi::CallbackInfo & info);
    void watch_sigterm(const Napi::CallbackInfo & info);
    void stop(const Napi::CallbackInfo & info);

    // Its thread runs the addon's code, so it must be joined before the environment lets go of the addon.
    std::unique_ptr<watchdog> watchdog_;

    Napi::Env::CleanupHook<void (*)(watchdog_wrap *), watchdog_wrap> cleanup_hook_;
    bool                                                             cleanup_hook_set_ = false;
};

} // namespace inkling

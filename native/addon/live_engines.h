#pragma once

#include <napi.h>

#include <functional>
#include <map>
#include <memory>

namespace inkling {

// The engines of one JavaScript environment that are not shut down yet, so that the exit of the process ends them. Used
// on the JavaScript thread only.
class live_engines {
  public:
    // Once per environment, before of(); listens to the exit of the process from then on.
    static void                          create(Napi::Env env);
    static std::shared_ptr<live_engines> of(Napi::Env env);

    // shut_down removes its engine.
    void add(const void * engine, std::function<void()> shut_down) { engines_.emplace(engine, std::move(shut_down)); }
    void remove(const void * engine) { engines_.erase(engine); }
    void shut_down_all();

  private:
    std::map<const void *, std::function<void()>> engines_;
};

} // namespace inkling

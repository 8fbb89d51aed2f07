#pragma once

#include "addon/calls/settle.h"
#include "addon/convert/convert.h"
#include "engine/base/error.h"

#include <napi.h>

#include <functional>
#include <optional>

namespace inkling {

// Runs work() on libuv's pool and settles a promise with to_js(result) on the JavaScript thread.
template <typename Result> class promise_worker : public Napi::AsyncWorker {
  public:
    using work_function    = std::function<Result()>;
    using convert_function = std::function<Napi::Value(Napi::Env, const Result &)>;

    static Napi::Promise run(Napi::Env env, work_function work, convert_function to_js) {
        // AsyncWorker deletes itself when it is done.
        auto * worker = new promise_worker(env, std::move(work), std::move(to_js));
        worker->Queue();
        return worker->deferred_.Promise();
    }

  private:
    promise_worker(Napi::Env env, work_function work, convert_function to_js)
        : Napi::AsyncWorker(env), deferred_(env), work_(std::move(work)), to_js_(std::move(to_js)) {}

    void Execute() override {
        try {
            result_ = work_();
        } catch (...) {
            error_ = current_error();
        }
        // Drops what it holds, such as a model, here: at process exit nobody calls OnOK.
        work_ = nullptr;
    }

    void OnOK() override {
        settle(Env(), deferred_, [this] {
            if (error_) {
                throw to_js_error(Env(), *error_);
            }
            return to_js_(Env(), *result_);
        });
    }

    Napi::Promise::Deferred     deferred_;
    work_function               work_;
    convert_function            to_js_;
    std::optional<Result>       result_;
    std::optional<engine_error> error_;
};

} // namespace inkling

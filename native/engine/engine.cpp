#include "engine/engine.h"

#include "engine/log.h"

#include "ggml-backend.h"

#include <algorithm>

namespace inkling {

namespace {

std::string backend_name() {
    if (ggml_backend_dev_t gpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_GPU)) {
        return ggml_backend_reg_name(ggml_backend_dev_backend_reg(gpu));
    }
    return "CPU";
}

// The first decode allocates compute buffers, builds the graph and, on a GPU, compiles kernels: all of it belongs to
// the load, not to the first keystroke.
void warm_up(const model & loaded, context & ctx) {
    const token_id token = loaded.facts().fim ? loaded.facts().fim->prefix : 0;
    ctx.decode(&token, 1, 0);
    ctx.clear();
}

} // namespace

engine::engine() {
    initialise_backend();
    thread_ = std::make_unique<engine_thread>();
}

engine::~engine() {
    close();
}

void engine::load(load_request request, load_callbacks callbacks) {
    const std::lock_guard<std::mutex> lock(mutex_);
    switch (state_) {
        case state::closed: throw engine_error(error_code::closed, "The engine is closed");
        case state::loading: throw engine_error(error_code::already_loaded, "A model is being loaded already");
        case state::loaded:
            throw engine_error(error_code::already_loaded,
                               "A model is loaded already (" + facts_->model.path + "); close this engine first");
        case state::empty: break;
    }
    state_      = state::loading;
    load_abort_ = std::make_shared<abort_flag>();

    request.model.on_progress = [abort = load_abort_, progress = callbacks.progress](float fraction) {
        if (progress) {
            progress(fraction);
        }
        return !abort->is_set();
    };
    thread_->post(
        [this, request = std::move(request), callbacks = std::move(callbacks)] { run_load(request, callbacks); });
}

void engine::run_load(const load_request & request, const load_callbacks & callbacks) {
    try {
        std::shared_ptr<const model> loaded = model::load(request.model);
        auto                         ctx    = std::make_unique<context>(loaded, request.context);
        warm_up(*loaded, *ctx);

        loaded_facts facts;
        facts.model          = loaded->facts();
        facts.context_length = ctx->length();
        facts.threads        = ctx->threads();
        facts.backend        = backend_name();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (load_abort_->is_set()) {
                throw engine_error(error_code::load_cancelled, "Loading " + request.model.path + " was cancelled");
            }
            memory_  = measure_memory(*loaded, *ctx);
            model_   = std::move(loaded);
            context_ = std::move(ctx);
            facts_   = facts;
            state_   = state::loaded;
        }
        callbacks.done(facts);
    } catch (...) {
        const engine_error error = current_error();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (state_ == state::loading) {
                state_ = state::empty;
            }
        }
        callbacks.failed(error);
    }
}

void engine::cancel_load() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (state_ == state::loading) {
        load_abort_->set();
    }
}

void engine::generate(generation_request request, generation_callbacks callbacks, std::shared_ptr<abort_flag> abort) {
    const std::lock_guard<std::mutex> lock(mutex_);
    switch (state_) {
        case state::closed: throw engine_error(error_code::closed, "The engine is closed");
        case state::empty: throw engine_error(error_code::not_loaded, "No model is loaded");
        case state::loading: throw engine_error(error_code::not_loaded, "The model is still being loaded");
        case state::loaded: break;
    }
    std::erase_if(generation_aborts_, [](const auto & flag) { return flag.expired(); });
    generation_aborts_.push_back(abort);
    thread_->post(
        [this, request = std::move(request), callbacks = std::move(callbacks), abort,
         queued_at = std::chrono::steady_clock::now()] { run_generation(request, callbacks, *abort, queued_at); });
}

void engine::run_generation(const generation_request & request, const generation_callbacks & callbacks,
                            const abort_flag & abort, std::chrono::steady_clock::time_point queued_at) {
    using milliseconds     = std::chrono::duration<double, std::milli>;
    const double queued_ms = milliseconds(std::chrono::steady_clock::now() - queued_at).count();
    try {
        generation_result result;
        // One that was aborted while it waited must not cost a prefill.
        if (abort.is_set()) {
            result.reason = stop_reason::aborted;
        } else {
            result = inkling::generate(*model_, *context_, request, abort, callbacks.text);
        }
        result.metrics.queued_ms  = queued_ms;
        result.metrics.active_rss = process_rss();
        result.metrics.peak_rss   = process_peak_rss();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            last_metrics_ = result.metrics;
            memory_       = measure_memory(*model_, *context_);
        }
        callbacks.done(result);
    } catch (...) {
        callbacks.failed(current_error());
    }
}

std::shared_ptr<const model> engine::loaded_model() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return model_;
}

std::optional<loaded_facts> engine::facts() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return facts_;
}

std::optional<generation_metrics> engine::last_metrics() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return last_metrics_;
}

memory_report engine::memory() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return memory_;
}

void engine::close() {
    std::call_once(close_once_, [this] {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            state_ = state::closed;
            if (load_abort_ != nullptr) {
                load_abort_->set();
            }
            for (const auto & weak : generation_aborts_) {
                if (const auto flag = weak.lock()) {
                    flag->set();
                }
            }
        }
        // Freed where they were used, before the thread ends: a context must not outlive its backend.
        thread_->post([this] {
            context_.reset();
            const std::lock_guard<std::mutex> lock(mutex_);
            model_.reset();
            memory_ = {};
        });
        thread_.reset();
    });
}

} // namespace inkling

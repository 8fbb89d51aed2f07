#include "engine/engine.h"

#include "engine/generation_run.h"
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

// Tokens of the last decode that may be taken back; more than a round ever drafts on large models is wasted memory.
constexpr int32_t  MOST_SNAPSHOTS        = 6;
constexpr uint64_t SMALL_SNAPSHOT_BUDGET = 64ull << 20;
constexpr uint64_t MOST_CHECKPOINT_BYTES = 1024ull << 20;

// The first decode allocates compute buffers, builds the graph and, on a GPU, compiles kernels: all of it belongs to
// the load, not to the first keystroke.
void warm_up(lane & on) {
    const token_id token = on.owner().facts().fim ? on.owner().facts().fim->prefix : 0;
    on.ctx.decode(&token, 1, 0, logit_rows::last);
    on.ctx.clear();
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
    thread_->post(job_priority::completion, [this, request = std::move(request), callbacks = std::move(callbacks)] {
        run_load(request, callbacks);
    });
}

std::unique_ptr<lane> engine::make_lane(const std::shared_ptr<const model> & loaded,
                                        const load_request &                 request) const {
    const uint64_t weights = loaded->facts().weights_bytes;
    lane_params    params;
    params.context                 = request.context;
    params.context.snapshots       = loaded->facts().recurrent ? MOST_SNAPSHOTS : 0;
    params.mtp                     = loaded->facts().mtp_loaded;
    params.checkpoint_budget_bytes = request.checkpoint_budget_bytes >= 0
                                         ? static_cast<uint64_t>(request.checkpoint_budget_bytes)
                                         : std::clamp(weights / 8, SMALL_SNAPSHOT_BUDGET, MOST_CHECKPOINT_BYTES);

    auto result = std::make_unique<lane>(loaded, params);
    warm_up(*result);
    // The size of a state plane is known only now. On a large model fewer snapshots are worth their memory.
    const uint64_t budget = std::max(SMALL_SNAPSHOT_BUDGET, weights / 10);
    const int32_t  held   = result->ctx.snapshot_limit();
    if (held > 1 && result->ctx.recurrent_bytes() > budget) {
        const uint64_t plane     = result->ctx.recurrent_bytes() / static_cast<uint64_t>(1 + held);
        params.context.snapshots = std::clamp(static_cast<int32_t>(budget / plane) - 1, 1, held);
        result.reset();
        result = std::make_unique<lane>(loaded, params);
        warm_up(*result);
    }
    return result;
}

void engine::post_calibration() {
    const auto abort  = std::make_shared<abort_flag>();
    background_abort_ = abort;
    thread_->post(job_priority::background, [this, abort] {
        try {
            if (lane_ != nullptr) {
                lane_->calibrate(*abort);
            }
        } catch (...) {
            // Without measurements decoding stays plain; the lane has cleaned up after itself.
            lane_->forget();
        }
    });
}

void engine::run_load(const load_request & request, const load_callbacks & callbacks) {
    try {
        std::shared_ptr<const model> loaded = model::load(request.model);
        std::unique_ptr<lane>        on     = make_lane(loaded, request);

        loaded_facts facts;
        facts.model          = loaded->facts();
        facts.context_length = on->ctx.length();
        facts.threads        = on->ctx.threads();
        facts.backend        = backend_name();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (load_abort_->is_set()) {
                throw engine_error(error_code::load_cancelled, "Loading " + request.model.path + " was cancelled");
            }
            memory_ = measure_memory(*on);
            model_  = std::move(loaded);
            lane_   = std::move(on);
            facts_  = facts;
            state_  = state::loaded;
            post_calibration();
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
    if (background_abort_ != nullptr) {
        background_abort_->set();
    }
    thread_->post(job_priority::completion, [this, request = std::move(request), callbacks = std::move(callbacks),
                                             abort, queued_at = std::chrono::steady_clock::now()] {
        run_generation(request, callbacks, *abort, queued_at);
    });
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
            result = generation_run(*lane_, request, abort, callbacks.text).execute();
        }
        result.metrics.queued_ms  = queued_ms;
        result.metrics.active_rss = process_rss();
        result.metrics.peak_rss   = process_peak_rss();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            last_metrics_ = result.metrics;
            memory_       = measure_memory(*lane_);
            if (!lane_->costs.measured() && state_ == state::loaded) {
                post_calibration();
            }
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
            if (background_abort_ != nullptr) {
                background_abort_->set();
            }
            for (const auto & weak : generation_aborts_) {
                if (const auto flag = weak.lock()) {
                    flag->set();
                }
            }
        }
        // Freed where they were used, before the thread ends: a context must not outlive its backend.
        thread_->post(job_priority::background, [this] {
            lane_.reset();
            const std::lock_guard<std::mutex> lock(mutex_);
            model_.reset();
            memory_ = {};
        });
        thread_.reset();
        release_freed_memory();
    });
}

} // namespace inkling

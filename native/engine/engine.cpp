#include "engine/engine.h"

#include "engine/base/log.h"
#include "engine/base/machine_memory.h"
#include "engine/base/process_memory.h"
#include "engine/generate/generation_run.h"
#include "engine/generate/preemption.h"
#include "engine/generate/prompt.h"
#include "engine/memory/memory_estimate.h"

#include "ggml-backend.h"
#include "llama-ext.h"
#include "llama.h"

#include <algorithm>

namespace inkling {

namespace {

std::string backend_name(const model & loaded) {
    if (llama_model_n_devices(loaded.handle()) == 0) {
        return "CPU";
    }
    return ggml_backend_reg_name(ggml_backend_dev_backend_reg(llama_model_get_device(loaded.handle(), 0)));
}

// Tokens that are evaluated at once where nobody waits.
constexpr int32_t INSPECTION_BATCH = 256;

// How long the engine is idle before costs are measured. A calibration copies the recurrent state there and
// back, and the key that ends it waits for that: on an H200, 70 ms with a model of four billion parameters.
constexpr std::chrono::milliseconds CALIBRATION_PAUSE{200};

} // namespace

engine::engine() {
    initialise_backend();
    thread_ = std::make_unique<engine_thread>([this] {
        if (slots_ != nullptr) {
            slots_->rest();
        }
    });
}

engine::~engine() {
    close();
}

void engine::load(load_request request, load_callbacks callbacks) {
    const std::lock_guard<std::mutex> lock(mutex_);
    switch (state_) {
        case state::closed: throw engine_error(error_code::closed, "The engine is closed");
        case state::loading: throw engine_error(error_code::already_loaded, "A model is already loading");
        case state::loaded:
            throw engine_error(error_code::already_loaded,
                               "A model is already loaded (" + facts_->model.path + "); close this engine first");
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

void engine::post_calibration() {
    const auto abort  = std::make_shared<abort_flag>();
    background_abort_ = abort;
    thread_->post_at_rest(CALIBRATION_PAUSE, [this, abort] {
        // Set before the slots are freed.
        if (abort->is_set()) {
            return;
        }
        for (const slot_kind kind : {slot_kind::completion, slot_kind::chat}) {
            slot * const on = slots_->find(kind);
            if (on == nullptr) {
                continue;
            }
            try {
                on->calibrate(*abort);
            } catch (...) {
                // Without measurements decoding stays plain.
                const engine_error error = current_error();
                if (error.code() != error_code::device_failed) {
                    // Otherwise the slot is given up. To clear some caches would throw once more, and end the process.
                    on->forget();
                }
                failure_of(kind, error);
            }
            return;
        }
    });
}

void engine::post_due_calibration() {
    const slot * const completion = slots_->find(slot_kind::completion);
    const slot * const calibrated = completion != nullptr ? completion : slots_->find(slot_kind::chat);
    if (calibrated != nullptr && calibrated->calibration_due() && state_ == state::loaded) {
        post_calibration();
    }
}

engine_error engine::failure_of(slot_kind kind, const engine_error & error) {
    const bool failed    = error.code() == error_code::device_failed;
    // No context can be made any more.
    const bool unmakable = error.code() == error_code::out_of_memory && slots_->find(kind) == nullptr;
    if (!failed && !(unmakable && device_failures_ > 0)) {
        return error;
    }
    if (slots_->give_up(kind)) {
        ++device_failures_;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    memory_ = measure_memory(*slots_);
    return device_failures_ > 1 ? engine_error(error_code::device_lost, error.what()) : error;
}

void engine::run_load(const load_request & request, const load_callbacks & callbacks) {
    try {
        const slot_set_params        affordable = require_memory(request, available_memory(request.model.device));
        std::shared_ptr<const model> loaded     = model::load(request.model);
        auto                         slots      = std::make_unique<slot_set>(loaded, affordable);

        const auto require_wanted = [&](bool wanted) {
            if (!wanted) {
                throw engine_error(error_code::load_cancelled, "Loading " + request.model.path + " was cancelled");
            }
        };
        // Whoever waits sees that the load gets on, and may cancel it.
        const prepared_step on_step = [&] {
            require_wanted(request.model.on_progress(1.0f));
        };

        loaded_facts facts;
        {
            const slot_set::use completion(*slots, slot_kind::completion, on_step);
            facts.context_length    = completion.on().ctx().length();
            facts.threads           = completion.on().ctx().threads();
            facts.can_shift_context = completion.on().seq().can_shift_context();
        }
        facts.model               = loaded->facts();
        facts.chat_context_length = context_length_for(facts.model, request.slots.chat_context_length);
        facts.backend             = backend_name(*loaded);
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            require_wanted(!load_abort_->is_set());
            memory_ = measure_memory(*slots);
            model_  = std::move(loaded);
            slots_  = std::move(slots);
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

void engine::require_loaded() const {
    switch (state_) {
        case state::closed: throw engine_error(error_code::closed, "The engine is closed");
        case state::empty: throw engine_error(error_code::not_loaded, "No model is loaded");
        case state::loading: throw engine_error(error_code::not_loaded, "The model is still loading");
        case state::loaded: break;
    }
}

void engine::generate(generation_request request, generation_callbacks callbacks,
                      const std::shared_ptr<abort_flag> & abort) {
    const std::lock_guard<std::mutex> lock(mutex_);
    require_loaded();
    std::erase_if(generation_aborts_, [](const auto & flag) { return flag.expired(); });
    generation_aborts_.push_back(abort);
    if (background_abort_ != nullptr) {
        background_abort_->set();
    }
    const auto asked = std::make_shared<const generation_request>(std::move(request));
    thread_->post(
        asked->priority,
        [this, asked, callbacks = std::move(callbacks), abort, queued_at = std::chrono::steady_clock::now()] {
            run_generation(*asked, callbacks, *abort, queued_at);
        },
        abort, needs_of(model_, asked));
}

void engine::release(release_target what, std::function<void()> done) {
    const std::lock_guard<std::mutex> lock(mutex_);
    require_loaded();
    // Otherwise memory that is wanted now would wait for seconds on a large model.
    if (background_abort_ != nullptr) {
        background_abort_->set();
    }
    thread_->post(job_priority::control, [this, what, done = std::move(done)] {
        slots_->release(what, [this, done] {
            {
                const std::lock_guard<std::mutex> memory_lock(mutex_);
                memory_ = measure_memory(*slots_);
                post_due_calibration();
            }
            done();
        });
    });
}

void engine::inspect_keys(std::vector<prompt_part> prompt, std::function<void(const key_vectors &)> done,
                          std::function<void(const engine_error &)> failed) {
    const std::lock_guard<std::mutex> lock(mutex_);
    require_loaded();
    // Nothing but the end of the engine stops it.
    const auto abort = std::make_shared<abort_flag>();
    generation_aborts_.push_back(abort);
    thread_->post(job_priority::background, [loaded = model_, prompt = std::move(prompt), done = std::move(done),
                                             failed = std::move(failed), abort] {
        try {
            generation_request request;
            request.prompt = prompt;
            const key_vectors keys =
                inkling::inspect_keys(loaded, tokenize_prompt(*loaded, request).tokens, INSPECTION_BATCH, *abort);
            if (keys.layers.empty()) {
                throw engine_error(error_code::closed, "The engine is closed");
            }
            done(keys);
        } catch (...) {
            failed(current_error());
        }
    });
}

void engine::run_generation(const generation_request & request, const generation_callbacks & callbacks,
                            const abort_flag & abort, std::chrono::steady_clock::time_point queued_at) {
    using milliseconds     = std::chrono::duration<double, std::milli>;
    const double queued_ms = milliseconds(std::chrono::steady_clock::now() - queued_at).count();
    try {
        if (abort.is_set()) {
            // Aborted while it waited, so it must cost nothing.
            generation_result nothing;
            nothing.reason            = stop_reason::aborted;
            nothing.metrics.queued_ms = queued_ms;
            callbacks.done(nothing);
            return;
        }
        const slot_set::use used(*slots_, request.slot);
        generation_result   result =
            generation_run(used.on(), request, abort, callbacks.text, preemption_on(*thread_, request, abort))
                .execute();
        if (result.metrics.evaluated_tokens > 0) {
            device_failures_ = 0;
        }
        result.metrics.queued_ms = queued_ms;
        result.metrics.peak_rss  = process_peak_rss();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            memory_ = measure_memory(*slots_);
            post_due_calibration();
        }
        callbacks.done(result);
    } catch (...) {
        callbacks.failed(failure_of(request.slot, current_error()));
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
            slots_.reset();
            const std::lock_guard<std::mutex> lock(mutex_);
            model_.reset();
            memory_ = {};
        });
        // Not reset: the job that runs still asks the thread what waits.
        thread_->end();
        release_freed_memory();
    });
}

} // namespace inkling

#include "engine/slot/slot_set.h"

#include "engine/base/process_memory.h"
#include "engine/state/memory_policy.h"

#include <algorithm>

namespace inkling {

slot_set::slot_set(std::shared_ptr<const model> loaded, const slot_set_params & params)
    : model_(std::move(loaded)),
      params_(params),
      vocabulary_(std::make_shared<vocabulary_index>(*model_)),
      swap_(std::make_shared<swap_store>(swap_budget(params.swap_budget_bytes, model_->facts().weights_bytes))) {}

void slot_set::drop(slot_kind kind) {
    entry_of(kind).on.reset();
    entry_of(kind).failed = false;
    swap_->clear(kind);
}

std::unique_ptr<slot> slot_set::make(slot_kind kind, const prepared_step & on_step) const {
    const uint64_t weights = model_->facts().weights_bytes;
    slot_params    params;
    params.context                 = params_.context;
    params.context.snapshots       = model_->facts().recurrent ? most_snapshots(weights) : 0;
    params.mtp                     = model_->facts().mtp_loaded;
    params.vocabulary              = vocabulary_;
    params.swap                    = swap_;
    params.kind                    = kind;
    params.checkpoint_budget_bytes = checkpoint_budget(params_.checkpoint_budget_bytes, weights);
    if (kind == slot_kind::chat) {
        params.context.context_length = params_.chat_context_length;
    }

    auto result = std::make_unique<slot>(model_, params);
    result->warm_up(on_step);
    // The size of a state plane is known only now. On a large model fewer snapshots are worth their memory.
    if (const int32_t held = result->ctx().snapshot_limit(); held > 0) {
        const uint64_t plane = result->ctx().recurrent_bytes() / static_cast<uint64_t>(1 + held);
        const int32_t  kept  = affordable_snapshots(weights, plane, held);
        if (kept < held) {
            params.context.snapshots = kept;
            result.reset();
            result = std::make_unique<slot>(model_, params);
            result->warm_up(on_step);
        }
    }
    return result;
}

slot_set::use::use(slot_set & slots, slot_kind kind, const prepared_step & on_step) : slots_(slots), kind_(kind) {
    entry & own = slots_.entry_of(kind_);
    if (own.on == nullptr) {
        std::unique_ptr<slot> made = slots_.make(kind_, on_step);
        if (!slots_.compiled_) {
            made->compile_for_prompts(on_step);
            slots_.compiled_ = true;
        }
        own.on                    = std::move(made);
        slots_.weights_by_device_ = own.on->ctx().weights_by_device();
    }
    // What decoding costs depends on the machine and the model, so the measurement of one slot serves the other.
    const slot * other = slots_.find(kind_ == slot_kind::chat ? slot_kind::completion : slot_kind::chat);
    if (!own.on->statistics().costs().measured() && other != nullptr) {
        own.on->learn_from(*other);
    }
    ++own.uses;
}

slot_set::use::~use() {
    entry & own = slots_.entry_of(kind_);
    if (--own.uses > 0 || !(own.failed || !own.waiting.empty())) {
        return;
    }
    slots_.drop(kind_);
    release_freed_memory();
    const auto waiting = std::exchange(own.waiting, {});
    for (const auto & done : waiting) {
        done();
    }
}

slot & slot_set::use::on() const {
    return *slots_.entry_of(kind_).on;
}

void slot_set::rest() {
    for (const entry & each : entries_) {
        if (each.on != nullptr) {
            each.on->ctx().compute()->rest();
        }
    }
}

bool slot_set::give_up(slot_kind kind) {
    entry & own = entry_of(kind);
    if (own.failed) {
        return false;
    }
    own.failed = own.on != nullptr;
    if (own.uses == 0) {
        drop(kind);
    }
    return true;
}

void slot_set::release(release_target what, std::function<void()> done) {
    const auto free_slot = [&](slot_kind kind) {
        entry & own = entry_of(kind);
        if (own.uses > 0) {
            own.waiting.push_back(std::move(done));
            return false;
        }
        drop(kind);
        return true;
    };
    switch (what) {
        case release_target::checkpoints:
            for (entry & each : entries_) {
                if (each.on != nullptr) {
                    each.on->drop_checkpoints();
                }
            }
            break;
        case release_target::swapped: swap_->clear(); break;
        case release_target::chat:
            if (!free_slot(slot_kind::chat)) {
                return;
            }
            break;
        case release_target::completion:
            if (!free_slot(slot_kind::completion)) {
                return;
            }
            break;
    }
    release_freed_memory();
    done();
}

} // namespace inkling

#include "engine/lane_set.h"

#include "engine/memory_policy.h"
#include "engine/process_memory.h"

#include <algorithm>

namespace inkling {

namespace {

// The first decode allocates compute buffers, builds the graph and, on a GPU, compiles kernels: all of it belongs to
// the lane's creation, not to the first keystroke.
void warm_up(lane & on) {
    const token_id token = on.owner().facts().fim ? on.owner().facts().fim->prefix : 0;
    on.ctx.decode(&token, 1, 0, logit_rows::last);
    on.ctx.clear();
}

} // namespace

lane_set::lane_set(std::shared_ptr<const model> owner, const lane_set_params & params)
    : model_(std::move(owner)),
      params_(params),
      vocabulary_(std::make_shared<vocabulary_index>(*model_)),
      parked_(
          std::make_shared<parked_store>(parked_budget(params.parked_budget_bytes, model_->facts().weights_bytes))) {}

void lane_set::drop(lane_kind kind) {
    slot_of(kind).on.reset();
    parked_->clear(kind);
}

std::unique_ptr<lane> lane_set::make(lane_kind kind) const {
    const uint64_t weights = model_->facts().weights_bytes;
    lane_params    params;
    params.context                 = params_.context;
    params.context.snapshots       = model_->facts().recurrent ? MOST_SNAPSHOTS : 0;
    params.mtp                     = model_->facts().mtp_loaded;
    params.vocabulary              = vocabulary_;
    params.parked                  = parked_;
    params.kind                    = kind;
    params.checkpoint_budget_bytes = checkpoint_budget(params_.checkpoint_budget_bytes, weights);
    if (kind == lane_kind::chat) {
        params.context.context_length = params_.chat_context_length;
    }

    auto result = std::make_unique<lane>(model_, params);
    warm_up(*result);
    // The size of a state plane is known only now. On a large model fewer snapshots are worth their memory.
    if (const int32_t held = result->ctx.snapshot_limit(); held > 0) {
        const uint64_t plane = result->ctx.recurrent_bytes() / static_cast<uint64_t>(1 + held);
        const int32_t  kept  = affordable_snapshots(weights, plane, held);
        if (kept < held) {
            params.context.snapshots = kept;
            result.reset();
            result = std::make_unique<lane>(model_, params);
            warm_up(*result);
        }
    }
    return result;
}

lane_set::use::use(lane_set & lanes, lane_kind kind) : lanes_(lanes), kind_(kind) {
    slot & own = lanes_.slot_of(kind_);
    if (own.on == nullptr) {
        own.on                    = lanes_.make(kind_);
        lanes_.weights_by_device_ = own.on->ctx.weights_by_device();
    }
    // What decoding costs is the machine's and the model's, so one lane's measurement serves the other.
    const lane * other = lanes_.find(kind_ == lane_kind::chat ? lane_kind::completion : lane_kind::chat);
    if (!own.on->costs.measured() && other != nullptr) {
        own.on->learn_from(*other);
    }
    ++own.uses;
}

lane_set::use::~use() {
    slot & own = lanes_.slot_of(kind_);
    if (--own.uses > 0 || own.waiting.empty()) {
        return;
    }
    lanes_.drop(kind_);
    release_freed_memory();
    const auto waiting = std::exchange(own.waiting, {});
    for (const auto & done : waiting) {
        done();
    }
}

lane & lane_set::use::on() const {
    return *lanes_.slot_of(kind_).on;
}

void lane_set::release(release_target what, std::function<void()> done) {
    const auto free_lane = [&](lane_kind kind) {
        slot & own = slot_of(kind);
        if (own.uses > 0) {
            own.waiting.push_back(std::move(done));
            return false;
        }
        drop(kind);
        return true;
    };
    switch (what) {
        case release_target::checkpoints:
            for (slot & each : slots_) {
                if (each.on != nullptr) {
                    each.on->seq.drop_checkpoints();
                }
            }
            break;
        case release_target::parked: parked_->clear(); break;
        case release_target::chat:
            if (!free_lane(lane_kind::chat)) {
                return;
            }
            break;
        case release_target::completion:
            if (!free_lane(lane_kind::completion)) {
                return;
            }
            break;
    }
    release_freed_memory();
    done();
}

} // namespace inkling

#pragma once

#include "engine/job.h"
#include "engine/lane.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace inkling {

// Memory that can be given back while the model stays loaded. What is released is made again when it is needed.
enum class release_target { checkpoints, parked, chat, completion };

struct lane_set_params {
    // Of the completion lane; the chat lane's differs in its length.
    context_params context;
    int32_t        chat_context_length     = 0; // as context_params::context_length
    // Host memory for each lane's checkpoints; negative = chosen from the model's size.
    int64_t        checkpoint_budget_bytes = -1;
    // Host memory for the sequences that all lanes have put away; negative = chosen from the model's size.
    int64_t        parked_budget_bytes     = -1;
};

// The lanes of one model, each made at its first use. Engine thread only.
class lane_set {
  public:
    lane_set(std::shared_ptr<const model> owner, const lane_set_params & params);

    lane_set(const lane_set &)             = delete;
    lane_set & operator=(const lane_set &) = delete;

    // Keeps a lane from being released while a generation is on it, paused or not.
    class use {
      public:
        // Makes the lane if need be. Throws engine_error: out_of_memory.
        use(lane_set & lanes, lane_kind kind);
        ~use();

        use(const use &)             = delete;
        use & operator=(const use &) = delete;

        lane & on() const;

      private:
        lane_set & lanes_;
        lane_kind  kind_;
    };

    const model &            owner() const { return *model_; }
    const vocabulary_index & vocabulary() const { return *vocabulary_; }
    const parked_store &     parked() const { return *parked_; }
    // Null while it does not exist.
    lane *                   find(lane_kind kind) const { return slot_of(kind).on.get(); }

    // As context::weights_by_device says, also while no lane exists.
    const std::map<ggml_backend_device *, uint64_t> & weights_by_device() const { return weights_by_device_; }

    // Frees the memory; done is called when that has happened: at once or, where a generation is on the lane that is
    // to go, at that generation's end.
    void release(release_target what, std::function<void()> done);

  private:
    struct slot {
        std::unique_ptr<lane>              on;
        int32_t                            uses = 0;
        // Of releases that wait for the last use to end.
        std::vector<std::function<void()>> waiting;
    };

    slot &                slot_of(lane_kind kind) { return slots_[static_cast<size_t>(kind)]; }
    const slot &          slot_of(lane_kind kind) const { return slots_[static_cast<size_t>(kind)]; }
    std::unique_ptr<lane> make(lane_kind kind) const;
    void                  drop(lane_kind kind);

    std::shared_ptr<const model>            model_;
    lane_set_params                         params_;
    std::shared_ptr<const vocabulary_index> vocabulary_;
    std::shared_ptr<parked_store>           parked_;
    std::array<slot, 2>                     slots_; // by kind

    std::map<ggml_backend_device *, uint64_t> weights_by_device_;
};

} // namespace inkling

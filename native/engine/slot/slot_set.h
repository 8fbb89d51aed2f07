#pragma once

#include "engine/base/job.h"
#include "engine/slot/slot.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace inkling {

// Memory that can be given back while the model stays loaded. What is released is made again when it is needed.
enum class release_target { checkpoints, swapped, chat, completion };

struct slot_set_params {
    // For the completion slot; the context of the chat slot differs in its length.
    context_params context;
    int32_t        chat_context_length     = 0; // as context_params::context_length
    // Host memory for each slot's checkpoints; negative = chosen from the model's size.
    int64_t        checkpoint_budget_bytes = -1;
    // Host memory for the swapped-out prompts of all slots; negative = chosen from the model's size.
    int64_t        swap_budget_bytes       = -1;
};

// The slots of one model, each made at its first use. Engine thread only.
class slot_set {
  public:
    slot_set(std::shared_ptr<const model> loaded, const slot_set_params & params);

    slot_set(const slot_set &)             = delete;
    slot_set & operator=(const slot_set &) = delete;

    // Keeps a slot from being released while a generation is on it, paused or not.
    class use {
      public:
        // Makes the slot if need be. Throws engine_error: out_of_memory, device_failed; and what on_step throws.
        use(
            slot_set & slots, slot_kind kind, const prepared_step & on_step = [] {});
        ~use();

        use(const use &)             = delete;
        use & operator=(const use &) = delete;

        slot & on() const;

      private:
        slot_set & slots_;
        slot_kind  kind_;
    };

    const model &            loaded_model() const { return *model_; }
    const vocabulary_index & vocabulary() const { return *vocabulary_; }
    const swap_store &       swap() const { return *swap_; }
    // Null while it does not exist.
    slot *                   find(slot_kind kind) const { return entry_of(kind).on.get(); }

    // As context::weights_by_device says, also while no slot exists.
    const std::map<ggml_backend_device *, uint64_t> & weights_by_device() const { return weights_by_device_; }

    // Nothing is evaluated for a while: the slots' threads sleep until it is.
    void rest();

    // The device failed under the slot of this kind: frees the slot and what was swapped out of it, now or at the end
    // of the last generation on it. A later use makes a new one. Returns whether this is the first to say so of that
    // slot.
    bool give_up(slot_kind kind);

    // Frees the memory, and then calls done: at once or, if a generation is on the slot, at the end of that generation.
    void release(release_target what, std::function<void()> done);

  private:
    struct entry {
        std::unique_ptr<slot>              on;
        int32_t                            uses   = 0;
        bool                               failed = false;
        // The done callbacks of releases that wait for the last use to end.
        std::vector<std::function<void()>> waiting;
    };

    entry &               entry_of(slot_kind kind) { return entries_[static_cast<size_t>(kind)]; }
    const entry &         entry_of(slot_kind kind) const { return entries_[static_cast<size_t>(kind)]; }
    std::unique_ptr<slot> make(slot_kind kind, const prepared_step & on_step) const;
    void                  drop(slot_kind kind);

    std::shared_ptr<const model>            model_;
    slot_set_params                         params_;
    std::shared_ptr<const vocabulary_index> vocabulary_;
    std::shared_ptr<swap_store>             swap_;
    std::array<entry, 2>                    entries_; // by kind

    std::map<ggml_backend_device *, uint64_t> weights_by_device_;
    // Whether a slot has run what compiles a GPU's kernels for prompts.
    bool                                      compiled_ = false;
};

} // namespace inkling

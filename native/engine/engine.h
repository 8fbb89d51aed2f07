#pragma once

#include "engine/base/abort_flag.h"
#include "engine/base/engine_thread.h"
#include "engine/base/error.h"
#include "engine/debug/key_inspection.h"
#include "engine/generate/generation.h"
#include "engine/llama/model.h"
#include "engine/memory/memory_report.h"
#include "engine/slot/load_request.h"
#include "engine/slot/slot_set.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace inkling {

// What is true of a loaded engine and does not change until it is closed.
struct loaded_facts {
    model_facts model;
    int32_t     context_length      = 0;
    int32_t     chat_context_length = 0;
    int32_t     threads             = 0;
    // As sequence::can_shift_context.
    bool        can_shift_context   = false;
    std::string backend;
};

// Called on the engine thread, exactly one of done and failed, once.
struct load_callbacks {
    std::function<void(float)>                progress;
    std::function<void(const loaded_facts &)> done;
    std::function<void(const engine_error &)> failed;
};

struct generation_callbacks {
    std::function<void(const std::string &)>       text;
    std::function<void(const generation_result &)> done;
    std::function<void(const engine_error &)>      failed;
};

// The facade over one model and its engine thread. Methods may be called from any thread and do not block, except
// close().
class engine {
  public:
    engine();
    ~engine();

    engine(const engine &)             = delete;
    engine & operator=(const engine &) = delete;

    // Throws engine_error: closed, already_loaded (also while another load runs). Everything else reaches failed.
    void load(load_request request, load_callbacks callbacks);
    // Ends a running load with load_cancelled; otherwise nothing.
    void cancel_load();

    // Runs in the order of priority; a running generation lets a more urgent one run between two batches or
    // rounds, and within a batch that takes long.
    // Setting abort ends the generation, at once while it waits. A GPU that fails ends it with device_failed, and a
    // later one begins on a new context; with device_lost, only a new process can use the GPU. Throws engine_error:
    // closed, not_loaded.
    void generate(generation_request request, generation_callbacks callbacks,
                  const std::shared_ptr<abort_flag> & abort);

    // Gives memory back between two batches or rounds of what runs. A slot with a generation on it goes at the end of
    // that generation. done is called once, on the engine thread, also by close(). Throws engine_error: closed,
    // not_loaded.
    void release(release_target what, std::function<void()> done);

    // The key vectors of a prompt (key_inspection.h), computed in a separate context while the engine is idle. One of
    // done and failed is called once, on the engine thread; closing the engine meanwhile fails it with closed.
    // Throws engine_error: closed, not_loaded.
    void inspect_keys(std::vector<prompt_part> prompt, std::function<void(const key_vectors &)> done,
                      std::function<void(const engine_error &)> failed);

    // Null before a load has ended. The model stays valid while it is held, also beyond close().
    std::shared_ptr<const model> loaded_model() const;
    std::optional<loaded_facts>  facts() const;
    // As of the last load or generation; zero without a model.
    memory_report                memory() const;

    // Aborts what runs and what waits, frees context and model, joins the engine thread. Idempotent. Every callback
    // has been called when it returns. Precondition: not on the engine thread.
    void close();

  private:
    enum class state { empty, loading, loaded, closed };

    // Measures decoding costs in a pause; a request or a release that arrives meanwhile stops it. Precondition: on the
    // engine thread, with the mutex held.
    void post_calibration();
    // The same, if there is a slot whose calibration is due; the completion slot goes first.
    void post_due_calibration();
    // Throws engine_error: closed, not_loaded. Precondition: the mutex is held.
    void require_loaded() const;

    // The error that a caller gets where a slot failed. After device_failed the slot is given up, and the next one is
    // made on a new backend. If the device fails before that one has evaluated anything, the error is device_lost.
    engine_error failure_of(slot_kind kind, const engine_error & error);

    void run_load(const load_request & request, const load_callbacks & callbacks);
    void run_generation(const generation_request & request, const generation_callbacks & callbacks,
                        const abort_flag & abort, std::chrono::steady_clock::time_point queued_at);

    mutable std::mutex                     mutex_;
    state                                  state_ = state::empty;
    std::shared_ptr<abort_flag>            load_abort_;
    std::shared_ptr<abort_flag>            background_abort_;
    std::vector<std::weak_ptr<abort_flag>> generation_aborts_;
    std::shared_ptr<const model>           model_;
    std::optional<loaded_facts>            facts_;
    memory_report                          memory_;

    // Used on the engine thread only.
    std::unique_ptr<slot_set> slots_;
    // How often a device has failed since a generation evaluated something.
    int32_t                   device_failures_ = 0;

    std::once_flag                 close_once_;
    std::unique_ptr<engine_thread> thread_;
};

} // namespace inkling

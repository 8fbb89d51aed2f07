#pragma once

#include "engine/base/state_copy.h"
#include "engine/llama/compute_threads.h"
#include "engine/llama/model.h"
#include "engine/llama/recurrent_layout.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

struct ggml_backend_buffer_type;
struct ggml_backend_device;
struct llama_context;

namespace inkling {

enum class kv_type { f16, q8_0 };

struct context_params {
    // Tokens of context; 0 = the model's training context, at most 8192.
    int32_t context_length = 0;
    // The most that compute (thread_count.h). 0 = default_threads().
    int32_t threads        = 0;
    // The most tokens per llama_decode while prefilling; batch_pace chooses fewer on a slow machine. 0 = 256 on the
    // CPU; 1024 on a GPU, which evaluates 512 of them at once.
    int32_t batch_size     = 0;
    kv_type kv             = kv_type::f16;
    // Recurrent-state snapshots that the backend may keep for rollback; costs that many more state planes. Where the
    // architecture cannot, snapshot_limit() says 0.
    int32_t snapshots      = 0;
};

// The most rows that a batch may have and still be exact (context::exact_rows).
constexpr int32_t MOST_EXACT_ROWS = 8;

// The tokens that a context of this model gets if `asked` are asked for.
int32_t context_length_for(const model_facts & facts, int32_t asked);

// The most rows of one batch that give their logits.
int32_t logit_rows_for(const model_facts & facts, int32_t batch_size);

enum class logit_rows { none, last, all };

// Asked between the operations of a decode, on the thread that decodes: true ends it, and its work is lost. Empty never
// does. It may use other contexts, and the decode waits for them. Only the CPU asks; a GPU cannot stop.
using decode_cut = std::function<bool()>;

// The device whose memory holds buffers of this type. Buffers in host memory belong to the CPU, even if a GPU's backend
// makes them.
ggml_backend_device * device_of(ggml_backend_buffer_type * type);

// What one graph takes that llama.cpp keeps for this context. It builds one to see, and checks that it can be computed;
// call it before anything is evaluated.
// Throws engine_error: unsupported_model.
uint64_t checked_graph_bytes(llama_context * handle, const model & loaded);

// A llama_context with its own thread pool and one sequence. Holds its model; used on the engine thread only.
class context {
  public:
    // Throws engine_error: out_of_memory; load_failed and unsupported_model where the file's tensors cannot be
    // computed.
    context(std::shared_ptr<const model> loaded, const context_params & params);
    ~context();

    context(const context &)             = delete;
    context & operator=(const context &) = delete;

    // Shared with the contexts that compute in turns with this one.
    const std::shared_ptr<compute_threads> & compute() const { return compute_; }

    const model &   loaded_model() const { return *model_; }
    llama_context * handle() const { return handle_.get(); }
    int32_t         length() const { return length_; }
    int32_t         threads() const { return compute_->most(); }
    int32_t         batch_size() const { return batch_size_; }
    // Tokens of the last decode that can be taken back: snapshots kept by the backend for recurrent state.
    int32_t         snapshot_limit() const { return snapshot_limit_; }
    // The most snapshots that a context on this backend would use.
    int32_t         useful_snapshots() const { return useful_snapshots_; }
    // Whether a GPU evaluates any layer.
    bool            on_gpu() const;
    // Batches of up to this many tokens compute the same numbers as single tokens, to the bit. 0 = not known on this
    // backend, and never measured. At first what the tests have shown for such a processor, later what slot::calibrate
    // found.
    int32_t         exact_rows() const { return exact_rows_; }
    // Only a sequence calls it, because it knows what was evaluated before. Precondition: 1 <= rows.
    void            set_exact_rows(int32_t rows) { exact_rows_ = rows; }
    // Most tokens of one decode that may ask for all their logits.
    int32_t         max_logit_rows() const { return max_logit_rows_; }

    // What a graph of this context takes, and how many such graphs llama.cpp keeps: one from the creation of the
    // context, and one each for decodes with and without outputs.
    uint64_t graph_bytes() const { return graph_bytes_; }
    int32_t  graphs() const { return 1 + (decoded_with_outputs_ ? 1 : 0) + (decoded_without_outputs_ ? 1 : 0); }

    // Evaluates tokens at positions first_position onwards. Precondition: 1 <= count <= batch_size(),
    // first_position + count <= length(), count <= max_logit_rows() for logit_rows::all. Returns after the work is
    // done. False: `cut` ended it; attention holds nothing of it, but recurrent state is of no use before it is cleared
    // or restored. Throws engine_error: decode_failed, device_failed. After device_failed this context computes nothing
    // more.
    bool decode(const token_id * tokens, int32_t count, token_position first_position, logit_rows rows,
                const decode_cut & cut = {});

    // Logits of the i-th token of the last decode (-1 = the last one), which must have asked for them: vocabulary_size
    // floats, valid until the next decode.
    const float * logits(int32_t i) const;

    // Whether decodes also give the hidden state that the MTP head reads. It makes the last layer compute every row.
    void          set_hidden_rows(bool enabled);
    bool          hidden_rows() const { return hidden_rows_; }
    // The hidden state of the i-th token of the last decode: embedding_length floats, valid until the next decode.
    const float * hidden(int32_t i) const;

    // Forgets positions from `position` on. Returns whether the backend said yes. The caller must know that the backend
    // can: for recurrent state it says yes even if it cannot, and keeps a stale state.
    bool remove_from(token_position position);
    // Whether positions can be changed after the evaluation.
    bool can_shift() const;
    // Forgets `count` positions from `start` on and moves those after them up. Precondition: can_shift(), and the
    // model has no recurrent state.
    void shift(token_position start, int32_t count);
    // Forgets everything that was evaluated.
    void clear();

    // Bytes of a copy of the recurrent state; 0 for attention-only models, before a token is evaluated, and where it
    // cannot be copied.
    size_t   recurrent_plane_bytes() const { return recurrent_.plane_bytes(); }
    // Bytes of all state planes in the backend, snapshots among them. Precondition: as above.
    uint64_t recurrent_bytes() const;

    // Where the model's weights are. Mapped weights count with the whole range of the file that they lie in.
    std::map<ggml_backend_device *, uint64_t> weights_by_device() const;

    // Everything that is held, KV cache included, as one block of host memory. can_copy is false where a window limits
    // attention: the copy would lack what going back needs. save gives no bytes if it failed. These and the following
    // throw engine_error: device_failed.
    bool       can_copy() const;
    size_t     state_bytes() const;
    state_copy save_state() const;
    bool       load_state(const state_copy & state);

    // Memory for copies of the recurrent state that this backend copies fastest to and from.
    state_copy::allocator_type copies() const { return copies_; }

    // The recurrent state after the last token, without the KV cache. save gives false where there is none.
    // Precondition: state.size() is recurrent_plane_bytes().
    bool save_recurrent_state(state_copy & state) const;
    bool load_recurrent_state(const state_copy & state);

  private:
    size_t partial_state_bytes() const;
    // Copy the state as `flags` of llama.cpp say. Return whether all of it was copied. Throw engine_error:
    // device_failed.
    bool   read_state(state_copy & state, uint32_t flags) const;
    bool   write_state(const state_copy & state, uint32_t flags);

    struct context_deleter {
        void operator()(llama_context * handle) const;
    };
    struct batch_owner;
    struct cut_question;

    // Destroyed in reverse order: the context goes before the threads it computes on and the model it reads.
    std::shared_ptr<const model>                    model_;
    std::shared_ptr<compute_threads>                compute_;
    std::unique_ptr<llama_context, context_deleter> handle_;
    std::unique_ptr<batch_owner>                    batch_;
    recurrent_layout                                recurrent_;
    state_copy::allocator_type                      copies_;
    int32_t                                         length_                  = 0;
    int32_t                                         batch_size_              = 0;
    int32_t                                         snapshot_limit_          = 0;
    int32_t                                         max_logit_rows_          = 1;
    int32_t                                         exact_rows_              = 0;
    uint64_t                                        graph_bytes_             = 0;
    int32_t                                         useful_snapshots_        = 0;
    bool                                            hidden_rows_             = false;
    // The question of the present decode; null without one.
    cut_question *                                  cut_                     = nullptr;
    bool                                            last_layer_cut_          = false;
    bool                                            decoded_with_outputs_    = false;
    bool                                            decoded_without_outputs_ = false;
};

} // namespace inkling

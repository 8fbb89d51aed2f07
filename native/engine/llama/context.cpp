#include "engine/llama/context.h"

#include "engine/base/cpu_topology.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/llama/assertion_guard.h"
#include "engine/llama/computable_graph.h"
#include "engine/llama/device_guard.h"

#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "llama-ext.h"
#include "llama.h"

#include <algorithm>
#include <optional>
#include <string>

namespace inkling {

namespace {

constexpr int32_t  DEFAULT_CONTEXT_LENGTH = 8192;
constexpr int32_t  CPU_BATCH_SIZE         = 256;
constexpr int32_t  GPU_BATCH_SIZE         = 1024;
// Rows that a GPU evaluates at once. In a longer batch llama.cpp prepares the next rows while the GPU is busy.
constexpr int32_t  GPU_ROWS               = 512;
// Rows of a batch that give their logits: a verify batch or a healed middle never asks for more than LEAST_LOGIT_ROWS,
// a proposal takes what it gets. Each row costs a vocabulary of floats, in host memory and in the compute buffer.
constexpr int32_t  LEAST_LOGIT_ROWS       = 16;
constexpr int32_t  MOST_LOGIT_ROWS        = 64;
constexpr uint64_t LOGIT_BYTES            = 2ull << 20;
// The bytes of a large model's logits are this part of its weights.
constexpr uint64_t WEIGHTS_PER_LOGITS     = 64;
// What llama_decode returns where the abort callback ended it.
constexpr int      DECODE_WAS_CUT         = 2;
// How many rows of a batch count as exact on the CPU before a measurement (slot::calibrate).
#if !defined(INKLING_PATCH_ONE_ATTENTION_PATH) || !defined(INKLING_PATCH_ONE_PRODUCT_PATH) || \
    !defined(INKLING_PATCH_ROW_PRODUCT_KERNELS)
// Without these patches (native/patches) the CPU is like other backends: nothing is claimed, and a measurement would
// not say enough, since what attention does changes with the length of the context.
constexpr int32_t CLAIMED_EXACT_ROWS = 0;
#elif defined(__x86_64__) || defined(_M_X64)
// With the patches all kernels round up to eight rows alike; the ctest suite holds this against the bits.
constexpr int32_t CLAIMED_EXACT_ROWS = MOST_EXACT_ROWS;
#else
// Other processors have kernels that take two rows at once (ARM's i8mm), so nothing is claimed before it is measured.
constexpr int32_t CLAIMED_EXACT_ROWS = 1;
#endif

// A discrete GPU copies a state to memory that the system pins three times as fast as to other memory. What others copy
// is in their own memory already.
state_copy::allocator_type copies_for(const llama_model * handle) {
    ggml_backend_dev_t device = llama_model_n_devices(handle) > 0 ? llama_model_get_device(handle, 0) : nullptr;
    if (device == nullptr || ggml_backend_dev_type(device) != GGML_BACKEND_DEVICE_TYPE_GPU) {
        return {};
    }
    return state_copy::allocator_type(ggml_backend_dev_host_buffer_type(device));
}

} // namespace

int32_t context_length_for(const model_facts & facts, int32_t asked) {
    return asked > 0 ? asked : std::min(DEFAULT_CONTEXT_LENGTH, facts.training_context_length);
}

int32_t logit_rows_for(const model_facts & facts, int32_t batch_size) {
    const uint64_t row   = std::max<uint64_t>(1, static_cast<uint64_t>(facts.vocabulary_size) * sizeof(float));
    const uint64_t bytes = std::max(LOGIT_BYTES, facts.weights_bytes / WEIGHTS_PER_LOGITS);
    const auto     rows  = static_cast<int32_t>(std::min<uint64_t>(bytes / row, MOST_LOGIT_ROWS));
    return std::min(std::max(rows, LEAST_LOGIT_ROWS), batch_size);
}

struct context::batch_owner {
    llama_batch batch;

    explicit batch_owner(int32_t capacity) : batch(llama_batch_init(capacity, 0, 1)) {}
    ~batch_owner() { llama_batch_free(batch); }
    batch_owner(const batch_owner &)             = delete;
    batch_owner & operator=(const batch_owner &) = delete;
};

// Asks during one decode.
struct context::cut_question {
    context &               asking;
    const decode_cut &      cut;
    // llama.cpp logs a cut as an error.
    std::optional<log_mute> muted;

    cut_question(context & on, const decode_cut & with) : asking(on), cut(with) { on.cut_ = cut ? this : nullptr; }
    ~cut_question() { asking.cut_ = nullptr; }
    cut_question(const cut_question &)             = delete;
    cut_question & operator=(const cut_question &) = delete;

    bool cuts() {
        if (!muted) {
            if (cut()) {
                muted.emplace();
            }
            asking.compute_->rest_others();
        }
        return muted.has_value();
    }
};

void context::context_deleter::operator()(llama_context * handle) const {
    llama_free(handle);
}

ggml_backend_device * device_of(ggml_backend_buffer_type * type) {
    // Buffers of weights that are mapped or repacked for the CPU name no device.
    ggml_backend_dev_t device = ggml_backend_buft_is_host(type) ? nullptr : ggml_backend_buft_get_device(type);
    return device != nullptr ? device : ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
}

uint64_t checked_graph_bytes(llama_context * handle, const model & loaded) {
    ggml_cgraph * graph = llama_graph_reserve(handle, 1, 1, 1);
    if (graph == nullptr) {
        return 0;
    }
    require_computable(graph, loaded.handle(), loaded.facts().path);
    const auto room = static_cast<size_t>(ggml_graph_size(graph));
#if defined(INKLING_PATCH_UNTOUCHED_GRAPH_MEMORY)
    const auto nodes = static_cast<size_t>(ggml_graph_n_nodes(graph));
#else
    const auto nodes = room;
#endif
    return ggml_tensor_overhead() * nodes + ggml_graph_overhead_custom(room, /*grads =*/false);
}

context::~context() = default;

bool context::on_gpu() const {
    return llama_model_n_devices(model_->handle()) > 0;
}

context::context(std::shared_ptr<const model> loaded, const context_params & params)
    : model_(std::move(loaded)), recurrent_(llama_model_n_swa(model_->handle()) > 0) {
    copies_                   = copies_for(model_->handle());
    const model_facts & facts = model_->facts();
    length_                   = context_length_for(facts, params.context_length);
    const int32_t threads =
        params.threads > 0 ? params.threads : default_threads(facts.all_on_gpu, facts.weights_bytes);
    batch_size_                = params.batch_size > 0 ? params.batch_size : on_gpu() ? GPU_BATCH_SIZE : CPU_BATCH_SIZE;
    batch_size_                = std::min(batch_size_, length_);
    const int32_t rows_at_once = on_gpu() ? std::min(batch_size_, GPU_ROWS) : batch_size_;
    max_logit_rows_            = logit_rows_for(facts, batch_size_);

    exact_rows_ = on_gpu() ? 0 : CLAIMED_EXACT_ROWS;

    llama_context_params llama_params = llama_context_default_params();
    llama_params.n_ctx                = static_cast<uint32_t>(length_);
    llama_params.n_batch              = static_cast<uint32_t>(batch_size_);
    llama_params.n_ubatch             = static_cast<uint32_t>(rows_at_once);
    llama_params.n_seq_max            = 1;
    // The backend evaluates the tokens of the snapshots at once and needs room for one more. No draft is longer than an
    // exact batch.
    useful_snapshots_ = std::max(0, std::min(exact_rows_ > 0 ? MOST_EXACT_ROWS - 1 : rows_at_once, rows_at_once - 2));
    llama_params.n_rs_seq        = static_cast<uint32_t>(std::clamp(params.snapshots, 0, useful_snapshots_));
    // If this stays 0, the compute buffer gets room for the logits of a whole batch.
    llama_params.n_outputs_max   = static_cast<uint32_t>(max_logit_rows_);
    llama_params.n_threads       = threads;
    llama_params.n_threads_batch = threads;
    llama_params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_AUTO;
    llama_params.type_k          = params.kv == kv_type::q8_0 ? GGML_TYPE_Q8_0 : GGML_TYPE_F16;
    llama_params.type_v          = llama_params.type_k;
    llama_params.offload_kqv     = true;
    llama_params.no_perf         = true;
    llama_params.kv_unified      = true;
    // With a GPU a cut would end the CPU's part of a graph alone.
    if (!on_gpu()) {
        llama_params.abort_callback = [](void * self) {
            cut_question * const question = static_cast<context *>(self)->cut_;
            return question != nullptr && question->cuts();
        };
        llama_params.abort_callback_data = this;
    }

    const error_log_capture capture;
    const assertion_guard   guard;
    handle_.reset(llama_init_from_model(model_->handle(), llama_params));
    if (handle_ == nullptr) {
        const std::string & reason = capture.text();
        if (reason.find("GGML_ASSERT") != std::string::npos) {
            throw engine_error(error_code::load_failed, facts.path + " cannot be computed: " + reason);
        }
        throw engine_error(error_code::out_of_memory,
                           "A context of " + std::to_string(length_) + " tokens could not be created: " + reason);
    }
    snapshot_limit_ = static_cast<int32_t>(llama_n_rs_seq(handle_.get()));
    graph_bytes_    = checked_graph_bytes(handle_.get(), *model_);

    compute_ = std::make_shared<compute_threads>(threads, /*adapts =*/!on_gpu() && !is_stopped_by_quota());
    batch_   = std::make_unique<batch_owner>(batch_size_);
}

bool context::decode(const token_id * tokens, int32_t count, token_position first_position, logit_rows rows,
                     const decode_cut & cut) {
    llama_batch & batch = batch_->batch;
    batch.n_tokens      = count;
    for (int32_t i = 0; i < count; ++i) {
        batch.token[i]     = tokens[i];
        batch.pos[i]       = first_position + i;
        batch.n_seq_id[i]  = 1;
        batch.seq_id[i][0] = 0;
        batch.logits[i]    = rows == logit_rows::all || (rows == logit_rows::last && i + 1 == count) ? 1 : 0;
    }
    if (const bool unread = rows == logit_rows::none; !hidden_rows_ && unread != last_layer_cut_) {
        // Without outputs nobody reads what the last layer's feed-forward network gives, and some architectures then
        // leave it out. With outputs all rows go through it, as where the MTP head reads them: fewer would round
        // otherwise.
        llama_set_embeddings_nextn(handle_.get(), false, /*masked =*/unread);
        last_layer_cut_ = unread;
    }
    bool & seen = rows == logit_rows::none ? decoded_without_outputs_ : decoded_with_outputs_;
    seen        = true;
    const std::string what =
        "Evaluating " + std::to_string(count) + " tokens at position " + std::to_string(first_position);
    const cut_question question(*this, cut);
    const int          status = on_devices(model_->handle(), what.c_str(), [&] {
        const compute_threads::turn turn(*compute_, handle_.get());
        const int32_t               decoded = llama_decode(handle_.get(), batch);
        // No round ends with work in flight: on a GPU it would pile up until the watchdog acts.
        llama_synchronize(handle_.get());
        return decoded;
    });
    if (status == DECODE_WAS_CUT) {
        return false;
    }
    if (status != 0) {
        throw engine_error(error_code::decode_failed, what + " failed with status " + std::to_string(status));
    }
    if (model_->facts().recurrent && recurrent_.plane_bytes() == 0) {
        state_copy state(partial_state_bytes());
        if (!recurrent_.windowed() || read_state(state, LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY)) {
            recurrent_.measure(state);
        }
    }
    return true;
}

const float * context::logits(int32_t i) const {
    return llama_get_logits_ith(handle_.get(), i);
}

void context::set_hidden_rows(bool enabled) {
    if (enabled != hidden_rows_) {
        // Masked rows are wrong on the qwen35 MTP graph when only some outputs are asked for.
        llama_set_embeddings_nextn(handle_.get(), enabled, /*masked =*/false);
        hidden_rows_    = enabled;
        last_layer_cut_ = false;
    }
}

const float * context::hidden(int32_t i) const {
    return llama_get_embeddings_nextn_ith(handle_.get(), i);
}

bool context::remove_from(token_position position) {
    return llama_memory_seq_rm(llama_get_memory(handle_.get()), 0, position, -1);
}

bool context::can_shift() const {
    // With a sliding window the cells of old positions are already gone.
    return llama_memory_can_shift(llama_get_memory(handle_.get())) && llama_model_n_swa(model_->handle()) == 0;
}

void context::shift(token_position start, int32_t count) {
    llama_memory_t memory = llama_get_memory(handle_.get());
    llama_memory_seq_rm(memory, 0, start, start + count);
    llama_memory_seq_add(memory, 0, start + count, -1, -count);
}

void context::clear() {
    llama_memory_clear(llama_get_memory(handle_.get()), /*data =*/false);
}

uint64_t context::recurrent_bytes() const {
    return static_cast<uint64_t>(recurrent_plane_bytes()) * static_cast<uint64_t>(1 + snapshot_limit_);
}

std::map<ggml_backend_device *, uint64_t> context::weights_by_device() const {
    std::map<ggml_backend_device *, uint64_t> weights;
    for (const auto & [type, bytes] : llama_get_memory_breakdown(handle_.get())) {
        weights[device_of(type)] += bytes.model;
    }
    return weights;
}

bool context::can_copy() const {
    return llama_model_n_swa(model_->handle()) == 0;
}

size_t context::state_bytes() const {
    return llama_state_seq_get_size_ext(handle_.get(), 0, 0);
}

bool context::read_state(state_copy & state, uint32_t flags) const {
    return on_devices(model_->handle(), "Copying the state", [&] {
               const size_t written = llama_state_seq_get_data_ext(handle_.get(), state.data(), state.size(), 0, flags);
               llama_synchronize(handle_.get());
               return written > 0 && written == state.size() ? 0 : 1;
           }) == 0;
}

bool context::write_state(const state_copy & state, uint32_t flags) {
    return on_devices(model_->handle(), "Restoring the state", [&] {
               const size_t read = llama_state_seq_set_data_ext(handle_.get(), state.data(), state.size(), 0, flags);
               llama_synchronize(handle_.get());
               return read > 0 && read == state.size() ? 0 : 1;
           }) == 0;
}

state_copy context::save_state() const {
    state_copy state(state_bytes());
    if (!read_state(state, 0)) {
        state.clear();
    }
    return state;
}

bool context::load_state(const state_copy & state) {
    // Into an empty cache, so that its cells lie as after an evaluation.
    clear();
    return write_state(state, 0);
}

size_t context::partial_state_bytes() const {
    return llama_state_seq_get_size_ext(handle_.get(), 0, LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY);
}

bool context::save_recurrent_state(state_copy & state) const {
    if (!recurrent_.windowed()) {
        return read_state(state, LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY);
    }
    state_copy whole(partial_state_bytes());
    if (!read_state(whole, LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY)) {
        return false;
    }
    state = recurrent_.copy_of(whole);
    return !state.empty();
}

bool context::load_recurrent_state(const state_copy & state) {
    // Without a window it is one already: nothing is copied before the backend does.
    return recurrent_.windowed() ? write_state(recurrent_.partial_state_of(state), LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY)
                                 : write_state(state, LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY);
}

} // namespace inkling

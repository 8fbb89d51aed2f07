#include "engine/context.h"

#include "engine/cpu_topology.h"
#include "engine/error.h"
#include "engine/log.h"

#include "llama.h"

#include <algorithm>
#include <string>

namespace inkling {

namespace {

constexpr int32_t DEFAULT_CONTEXT_LENGTH = 8192;

} // namespace

struct context::batch_owner {
    llama_batch batch;

    explicit batch_owner(int32_t capacity) : batch(llama_batch_init(capacity, 0, 1)) {}
    ~batch_owner() { llama_batch_free(batch); }
    batch_owner(const batch_owner &)             = delete;
    batch_owner & operator=(const batch_owner &) = delete;
};

void context::context_deleter::operator()(llama_context * handle) const {
    llama_free(handle);
}

void context::threadpool_deleter::operator()(ggml_threadpool * pool) const {
    ggml_threadpool_free(pool);
}

context::~context() = default;

context::context(std::shared_ptr<const model> owner, const context_params & params) : model_(std::move(owner)) {
    length_     = params.context_length > 0 ? params.context_length
                                            : std::min(DEFAULT_CONTEXT_LENGTH, model_->facts().training_context_length);
    threads_    = params.threads > 0 ? params.threads : usable_physical_cores();
    batch_size_ = std::min(params.batch_size, length_);

    llama_context_params llama_params = llama_context_default_params();
    llama_params.n_ctx                = static_cast<uint32_t>(length_);
    llama_params.n_batch              = static_cast<uint32_t>(batch_size_);
    llama_params.n_ubatch             = static_cast<uint32_t>(batch_size_);
    llama_params.n_seq_max            = 1;
    // Without this the compute buffer is sized for logits of a whole batch.
    llama_params.n_outputs_max        = 1;
    llama_params.n_threads            = threads_;
    llama_params.n_threads_batch      = threads_;
    llama_params.flash_attn_type      = LLAMA_FLASH_ATTN_TYPE_AUTO;
    llama_params.offload_kqv          = true;
    llama_params.no_perf              = true;
    llama_params.kv_unified           = true;

    const error_log_capture capture;
    handle_.reset(llama_init_from_model(model_->handle(), llama_params));
    if (handle_ == nullptr) {
        throw engine_error(error_code::out_of_memory, "A context of " + std::to_string(length_) +
                                                          " tokens could not be created: " + capture.text());
    }

    // Without a pool of its own ggml starts and ends its threads at every decode.
    ggml_threadpool_params pool_params = ggml_threadpool_params_default(threads_);
    pool_.reset(ggml_threadpool_new(&pool_params));
    llama_attach_threadpool(handle_.get(), pool_.get(), nullptr);

    batch_ = std::make_unique<batch_owner>(batch_size_);
}

void context::decode(const token_id * tokens, int32_t count, token_position first_position) {
    llama_batch & batch = batch_->batch;
    batch.n_tokens      = count;
    for (int32_t i = 0; i < count; ++i) {
        batch.token[i]     = tokens[i];
        batch.pos[i]       = first_position + i;
        batch.n_seq_id[i]  = 1;
        batch.seq_id[i][0] = 0;
        batch.logits[i]    = i + 1 == count ? 1 : 0;
    }
    const int32_t status = llama_decode(handle_.get(), batch);
    if (status != 0) {
        throw engine_error(error_code::decode_failed, "Evaluating " + std::to_string(count) + " tokens at position " +
                                                          std::to_string(first_position) + " failed with status " +
                                                          std::to_string(status));
    }
    // No round ends with work still in flight: on a GPU it would pile up until the watchdog acts.
    llama_synchronize(handle_.get());
}

const float * context::last_logits() const {
    return llama_get_logits_ith(handle_.get(), -1);
}

void context::clear() {
    llama_memory_clear(llama_get_memory(handle_.get()), /*data =*/false);
}

} // namespace inkling

#include "engine/draft/mtp_head.h"

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/llama/assertion_guard.h"
#include "engine/llama/device_guard.h"
#include "engine/text/sampler.h"

#include "llama-ext.h"
#include "llama.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace inkling {

// llama_batch_init gives room for tokens or for embeddings; this head reads both.
struct mtp_head::batch_owner {
    llama_batch           batch;
    std::vector<token_id> tokens;

    batch_owner(int32_t capacity, int32_t width)
        : batch(llama_batch_init(capacity, width, 1)), tokens(static_cast<size_t>(capacity)) {
        batch.token = tokens.data();
    }
    ~batch_owner() {
        batch.token = nullptr;
        llama_batch_free(batch);
    }
    batch_owner(const batch_owner &)             = delete;
    batch_owner & operator=(const batch_owner &) = delete;
};

void mtp_head::context_deleter::operator()(llama_context * handle) const {
    llama_free(handle);
}

namespace {

// Most MTP graphs keep the hidden state of every row, and mix them up when only those of outputs are asked for. These
// keep only those of outputs, and reading another one would end the process.
bool keeps_output_rows_only(const std::string & architecture) {
    return architecture == "qwen3next" || architecture == "step35" || architecture == "mimo2" ||
           architecture == "deepseek4";
}

} // namespace

std::unique_ptr<mtp_head> mtp_head::create(std::shared_ptr<const model> loaded, const context & trunk) {
    // llama.cpp takes the length of hidden rows from a number of the file that need not be that of the model.
    if (!loaded->facts().mtp_loaded || llama_model_n_embd_out(loaded->handle()) != loaded->facts().embedding_length) {
        return nullptr;
    }
    const int32_t        batch_size = std::min(WINDOW + 1, trunk.length());
    llama_context_params params     = llama_context_default_params();
    params.ctx_type                 = LLAMA_CONTEXT_TYPE_MTP;
    params.n_ctx                    = static_cast<uint32_t>(trunk.length());
    params.n_batch                  = static_cast<uint32_t>(batch_size);
    params.n_ubatch                 = static_cast<uint32_t>(batch_size);
    params.n_seq_max                = 1;
    params.n_rs_seq                 = 0;
    params.n_outputs_max            = 1;
    params.n_threads                = trunk.threads();
    params.n_threads_batch          = trunk.threads();
    params.flash_attn_type          = LLAMA_FLASH_ATTN_TYPE_AUTO;
    params.offload_kqv              = true;
    params.no_perf                  = true;
    params.kv_unified               = true;
    const assertion_guard                           guard;
    std::unique_ptr<llama_context, context_deleter> handle(llama_init_from_model(loaded->handle(), params));
    if (handle == nullptr) {
        return nullptr;
    }
    llama_set_embeddings_nextn(handle.get(), true, keeps_output_rows_only(loaded->facts().architecture));
    return std::unique_ptr<mtp_head>(new mtp_head(std::move(loaded), std::move(handle), trunk.compute(), batch_size));
}

mtp_head::mtp_head(std::shared_ptr<const model> loaded, std::unique_ptr<llama_context, context_deleter> handle,
                   std::shared_ptr<compute_threads> compute, int32_t batch_size)
    : model_(std::move(loaded)),
      compute_(std::move(compute)),
      handle_(std::move(handle)),
      batch_size_(batch_size),
      graph_bytes_(checked_graph_bytes(handle_.get(), *model_)) {
    const llama_rope_type rope = llama_model_rope_type(model_->handle());
    gaps_allowed_              = rope == LLAMA_ROPE_TYPE_MROPE || rope == LLAMA_ROPE_TYPE_IMROPE;
    batch_                     = std::make_unique<batch_owner>(batch_size_, model_->facts().embedding_length);
    clear();
}

mtp_head::~mtp_head() = default;

void mtp_head::observe_row(const context & trunk, int32_t index, token_id token, token_position position) {
    // Leaves out rows that are evaluated, and the first one after a gap, whose hidden state is unknown. Attention
    // without them drafts a little worse, never wrongly.
    if (position >= evaluated_ && last_hidden_position_ == position - 1) {
        rows_.push_back({token, position, last_hidden_});
    }
    const float * hidden = trunk.hidden(index);
    last_hidden_.assign(hidden, hidden + model_->facts().embedding_length);
    last_hidden_position_ = position;
}

void mtp_head::observe(const context & trunk, const token_id * tokens, int32_t count, token_position first_position) {
    // Rows further back are not used, but the hidden state of the last of them is.
    for (int32_t i = std::max(0, count - WINDOW - 1); i < count; ++i) {
        observe_row(trunk, i, tokens[i], first_position + i);
    }
    if (rows_.size() > static_cast<size_t>(WINDOW)) {
        rows_.erase(rows_.begin(), rows_.end() - WINDOW);
    }
}

void mtp_head::read(const context & trunk, const token_id * tokens, int32_t count, token_position first_position) {
    for (int32_t i = std::max(0, count - READ_AHEAD - 1); i < count; ++i) {
        observe_row(trunk, i, tokens[i], first_position + i);
        if (rows_.size() >= static_cast<size_t>(batch_size_)) {
            catch_up();
        }
    }
    catch_up();
}

void mtp_head::truncate(int32_t length) {
    while (!rows_.empty() && rows_.back().position >= length) {
        rows_.pop_back();
    }
    if (evaluated_ > length) {
        llama_memory_seq_rm(llama_get_memory(handle_.get()), 0, length, -1);
        evaluated_ = length;
    }
    if (length == 0) {
        clear();
    } else if (last_hidden_position_ >= length) {
        last_hidden_position_ = UNKNOWN;
    }
}

void mtp_head::clear() {
    llama_memory_clear(llama_get_memory(handle_.get()), /*data =*/false);
    rows_.clear();
    evaluated_            = 0;
    last_hidden_position_ = START;
    last_hidden_.assign(static_cast<size_t>(model_->facts().embedding_length), 0.0f);
}

uint64_t mtp_copy::bytes() const {
    const uint64_t width = last_hidden.size() * sizeof(float);
    return cache.size() + (rows.size() + 1) * width;
}

uint64_t mtp_head::copy_bytes() const {
    return pending_bytes() + (evaluated_ > 0 ? llama_state_seq_get_size_ext(handle_.get(), 0, 0) : 0);
}

mtp_copy mtp_head::copy() const {
    mtp_copy copy;
    if (evaluated_ > 0) {
        copy.cache.resize(llama_state_seq_get_size_ext(handle_.get(), 0, 0));
        const int failed = on_devices(model_->handle(), "Copying the state", [&] {
            return llama_state_seq_get_data_ext(handle_.get(), copy.cache.data(), copy.cache.size(), 0, 0) ==
                           copy.cache.size()
                       ? 0
                       : 1;
        });
        if (failed != 0) {
            copy.cache.clear();
        }
    }
    copy.rows                 = rows_;
    copy.last_hidden          = last_hidden_;
    copy.last_hidden_position = last_hidden_position_;
    copy.evaluated            = evaluated_;
    return copy;
}

mtp_copy mtp_head::move_out() {
    mtp_copy moved = copy();
    clear();
    return moved;
}

void mtp_head::move_in(mtp_copy copy) {
    clear();
    if (copy.evaluated > 0 &&
        (copy.cache.empty() || on_devices(model_->handle(), "Restoring the state", [&] {
                                   return llama_state_seq_set_data_ext(handle_.get(), copy.cache.data(),
                                                                       copy.cache.size(), 0, 0) == copy.cache.size()
                                              ? 0
                                              : 1;
                               }) != 0)) {
        clear();
        return;
    }
    rows_                 = std::move(copy.rows);
    last_hidden_          = std::move(copy.last_hidden);
    last_hidden_position_ = copy.last_hidden_position;
    evaluated_            = copy.evaluated;
}

void mtp_head::push(token_id token, token_position position, const float * hidden) {
    llama_batch & batch = batch_->batch;
    const int32_t i     = batch.n_tokens++;
    batch.token[i]      = token;
    batch.pos[i]        = position;
    batch.n_seq_id[i]   = 1;
    batch.seq_id[i][0]  = 0;
    batch.logits[i]     = 0;
    const auto width    = static_cast<size_t>(model_->facts().embedding_length);
    std::memcpy(batch.embd + static_cast<size_t>(i) * width, hidden, width * sizeof(float));
}

mtp_draft mtp_head::run() {
    llama_batch & batch              = batch_->batch;
    batch.logits[batch.n_tokens - 1] = 1;
    decoded_                         = true;
    const error_log_capture capture;
    const int               status = on_devices(model_->handle(), "Drafting", [&] {
        const compute_threads::turn turn(*compute_, handle_.get());
        const int32_t               decoded = llama_decode(handle_.get(), batch);
        llama_synchronize(handle_.get());
        return decoded;
    });
    if (status != 0) {
        throw engine_error(error_code::decode_failed, "The MTP head could not evaluate its draft: " + capture.text());
    }

    const float *  logits = llama_get_logits_ith(handle_.get(), -1);
    const best_two best   = find_best_two(logits, model_->facts().vocabulary_size);
    mtp_draft      draft{best.token, best.first - best.second};
    if (!std::isfinite(best.first)) {
        throw engine_error(error_code::decode_failed, "The MTP head computed logits that are not numbers");
    }
    drafted_        = draft;
    draft_position_ = batch.pos[batch.n_tokens - 1];
    return draft;
}

void mtp_head::close_gap(int32_t length) {
    if (gaps_allowed_) {
        return;
    }
    auto first = rows_.end();
    for (token_position expected = length - 1; first != rows_.begin() && std::prev(first)->position == expected;
         --expected) {
        --first;
    }
    rows_.erase(rows_.begin(), first);
    const token_position start = rows_.empty() ? length : rows_.front().position;
    if (evaluated_ != start) {
        llama_memory_clear(llama_get_memory(handle_.get()), /*data =*/false);
        evaluated_ = start;
    }
}

void mtp_head::push_waiting() {
    batch_->batch.n_tokens = 0;
    for (const row & item : rows_) {
        push(item.token, item.position, item.hidden.data());
    }
    rows_.clear();
}

void mtp_head::catch_up() {
    if (rows_.empty()) {
        return;
    }
    const int32_t length = rows_.back().position + 1;
    close_gap(length);
    push_waiting();
    run();
    evaluated_ = length;
}

mtp_draft mtp_head::begin_draft(token_id last, int32_t length) {
    close_gap(length);
    push_waiting();
    push(last, length, last_hidden_.data());
    draft_start_ = length;
    return run();
}

mtp_draft mtp_head::continue_draft() {
    const auto         width = static_cast<size_t>(model_->facts().embedding_length);
    const float *      own   = llama_get_embeddings_nextn_ith(handle_.get(), batch_->batch.n_tokens - 1);
    std::vector<float> hidden(own, own + width);
    batch_->batch.n_tokens = 0;
    push(drafted_.token, draft_position_ + 1, hidden.data());
    return run();
}

void mtp_head::end_draft() {
    evaluated_ = draft_start_ + 1;
    if (draft_position_ > draft_start_) {
        llama_memory_seq_rm(llama_get_memory(handle_.get()), 0, evaluated_, -1);
    }
}

std::pair<double, double> mtp_head::measure(token_position position) {
    const int32_t            large = std::min(32, batch_size_);
    const std::vector<float> hidden(static_cast<size_t>(model_->facts().embedding_length), 0.01f);
    const auto               time = [&](int32_t count) {
        double best = 0.0;
        for (int32_t repetition = 0; repetition < 3; ++repetition) {
            batch_->batch.n_tokens = 0;
            for (int32_t i = 0; i < count; ++i) {
                push(0, position + i, hidden.data());
            }
            const auto start = std::chrono::steady_clock::now();
            run();
            const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
            best = repetition == 0 ? elapsed.count() : std::min(best, elapsed.count());
            clear();
        }
        return best;
    };
    const double single = time(1);
    return {single, large > 1 ? std::max(0.0, (time(large) - single) / (large - 1)) : 0.0};
}

uint64_t mtp_head::pending_bytes() const {
    return (rows_.size() + 1) * static_cast<uint64_t>(model_->facts().embedding_length) * sizeof(float);
}

} // namespace inkling

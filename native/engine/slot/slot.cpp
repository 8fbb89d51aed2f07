#include "engine/slot/slot.h"

#include "engine/base/elapsed.h"
#include "engine/base/error.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace inkling {

namespace {

// ggml's Vulkan backend has kernels of their own for 9 to 32 rows: those of a key's tokens and of verify batches.
constexpr int32_t FEW_ROWS = 16;

} // namespace

slot::slot(std::shared_ptr<const model> loaded, const slot_params & params)
    : model_(std::move(loaded)),
      vocabulary_(params.vocabulary != nullptr ? params.vocabulary : std::make_shared<vocabulary_index>(*model_)),
      swap_(params.swap),
      kind_(params.kind),
      ctx_(model_, params.context),
      seq_(ctx_, params.checkpoint_budget_bytes),
      mtp_(params.mtp ? mtp_head::create(model_, ctx_) : nullptr),
      statistics_(ctx_.exact_rows() > 0 ? assumed_costs(model_->facts().weights_bytes) : decode_costs()),
      pace_(/*blocks =*/ctx_.exact_rows() > 0),
      calibration_(ctx_, seq_, mtp_.get(), statistics_, gpu_pace_) {}

void slot::warm_up(const prepared_step & on_step) {
    const token_id token  = filler_token();
    const auto     decode = [&](int32_t rows, logit_rows wanted) {
        const std::vector<token_id> tokens(static_cast<size_t>(rows), token);
        ctx_.decode(tokens.data(), rows, 0, wanted);
        ctx_.clear();
        on_step();
    };
    if (!ctx_.on_gpu()) {
        return decode(1, logit_rows::last);
    }
    // A GPU compiles kernels when a shape first needs them: in ggml's Vulkan backend one for each number of rows up to
    // eight, which took 1.2 s each with a model of 4B on an H100. These are the shapes of short and verify batches.
    // Only the graphs of the first keys are kept: those without logits are not.
    for (int32_t rows = std::min(gpu_pace::SHORT_ROWS, ctx_.batch_size()); rows > 0; --rows) {
        decode(rows, rows > 3 ? logit_rows::none : logit_rows::last);
    }
}

void slot::compile_for_prompts(const prepared_step & on_step) {
    if (!ctx_.on_gpu()) {
        return;
    }
    int32_t    at     = 0;
    const auto decode = [&](int32_t rows) {
        const std::vector<token_id> tokens(static_cast<size_t>(rows), filler_token());
        const auto                  start = std::chrono::steady_clock::now();
        ctx_.decode(tokens.data(), rows, at, logit_rows::last);
        const double ms = milliseconds_since(start);
        at += rows;
        on_step();
        return ms;
    };
    decode(std::min(FEW_ROWS, ctx_.batch_size()));
    ctx_.clear();
    at = 0;

    for (int32_t rows = BATCH_BLOCK; at + rows <= ctx_.length(); rows *= 2) {
        rows = std::min(rows, ctx_.batch_size());
        decode(rows);
        // What counts is the time without compiling. As the text grows, the second batch may need another kernel, and a
        // GPU that has waited for its driver is slow at first.
        double ms = 2.0 * batch_pace::BATCH_LIMIT_MS;
        for (int turn = 0; turn < 2 && ms > batch_pace::BATCH_LIMIT_MS && at + rows <= ctx_.length(); ++turn) {
            ms = decode(rows);
        }
        if (ms > batch_pace::BATCH_LIMIT_MS || rows == ctx_.batch_size()) {
            break;
        }
    }
    // A token behind a long text.
    if (at < ctx_.length()) {
        decode(1);
    }
    ctx_.clear();
}

token_id slot::filler_token() const {
    const auto & fim = model_->facts().fim;
    return fim ? fim->prefix : 0;
}

void slot::forget() {
    seq_.clear();
    last_.clear();
    if (mtp_ != nullptr) {
        mtp_->clear();
    }
}

bool slot::append(const token_id * tokens, int32_t count, logit_rows rows, const decode_cut & cut) {
    if (seq_.append(tokens, count, rows, cut)) {
        return true;
    }
    follow_sequence();
    return false;
}

int32_t slot::take_back(const token_id * text, int32_t length, bool by_copy) {
    int32_t again = 0;
    if (by_copy) {
        seq_.return_to_savepoint();
        seq_.set_hidden_rows(false);
        again = length - seq_.length();
        seq_.append(text + seq_.length(), again, logit_rows::none);
    } else {
        seq_.truncate(length);
    }
    follow_sequence();
    return again;
}

void slot::follow_sequence() {
    if (mtp_ != nullptr) {
        mtp_->truncate(seq_.length());
    }
    if (last_.start() > seq_.length()) {
        last_.clear();
    }
}

void slot::observe_prefill(int32_t tokens, double ms) {
    pace_.observe(tokens, ms);
    if (ctx_.on_gpu()) {
        gpu_pace_.observe_batch(tokens, ms);
    }
}

bool slot::checkpoint_pays(checkpoint_kind kind, int32_t length) const {
    const int32_t gap = length - seq_.checkpoints().nearest_at_most(length);
    return gpu_pace_.pays(kind, gap, ctx_.recurrent_plane_bytes(), copies_into_fresh_memory());
}

bool slot::copies_into_fresh_memory() const {
    return seq_.checkpoints().needs_memory(ctx_.recurrent_plane_bytes());
}

void slot::take_checkpoint(checkpoint_kind kind) {
    if (!checkpoint_pays(kind, seq_.length())) {
        return;
    }
    const bool fresh = copies_into_fresh_memory();
    const auto start = std::chrono::steady_clock::now();
    if (seq_.take_checkpoint(kind)) {
        gpu_pace_.observe_copy(ctx_.recurrent_plane_bytes(), milliseconds_since(start), fresh);
    }
}

reuse_plan slot::align(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries) {
    const reuse_plan plan = seq_.align(wanted, boundaries);
    if (mtp_ != nullptr) {
        mtp_->truncate(plan.keep);
    }
    return plan;
}

void slot::shift(int32_t start, int32_t count) {
    seq_.shift(start, count);
    last_.clear();
    if (mtp_ != nullptr) {
        mtp_->clear();
    }
}

std::optional<suspended_generation> slot::let_others_run(const std::function<void()> & run) {
    const uint64_t       present = generations_;
    suspended_generation left{last_, seq_.length()};
    awaited_ = true;
    run();
    awaited_ = false;
    if (generations_ == present) {
        return std::nullopt;
    }
    return left;
}

bool slot::swap_out(int32_t keep) {
    const uint64_t budget = swap_->budget();
    if (!ctx_.can_copy() || seq_.copy_bytes() > budget) {
        return false;
    }
    const uint64_t head = mtp_ != nullptr ? mtp_->copy_bytes() : 0;
    const bool     both = mtp_ != nullptr && seq_.copy_bytes() + head <= budget;
    swapped_prompt item;
    item.slot        = kind_;
    const auto start = std::chrono::steady_clock::now();
    item.copy        = seq_.move_out(both ? budget - head : budget, keep);
    if (item.copy.state.empty()) {
        return false;
    }
    gpu_pace_.observe_copy(item.copy.state.size(), milliseconds_since(start), /*fresh =*/true);
    if (both) {
        item.mtp = keep > 0 ? mtp_->copy() : mtp_->move_out();
    }
    item.last = std::exchange(last_, {});
    seq_.give(swap_->add(std::move(item)));
    return true;
}

swap_plan slot::exchange(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries) {
    if (seq_.shifted()) {
        // Nothing can come back to it.
        forget();
    }
    if (swap_ == nullptr || swap_->budget() == 0) {
        return {};
    }
    swap_query query;
    query.keep    = seq_.plan(wanted, boundaries).keep;
    query.foreign = awaited_ ? seq_.length() - query.keep : count_foreign(seq_.tokens(), query.keep, wanted);
    for (const swapped_prompt & item : swap_->items()) {
        query.swapped_keeps.push_back(item.slot == kind_ ? seq_.plan(item.copy, wanted, boundaries).keep : 0);
    }
    if (ctx_.on_gpu()) {
        query.copy_tokens = gpu_pace_.tokens_of(ctx_.state_bytes());
    }
    swap_plan                     plan = choose_swap(query);
    // Taken first: what is swapped out now must not evict it.
    std::optional<swapped_prompt> back;
    if (plan.swap_in) {
        back = swap_->take(*plan.swap_in);
    }
    const int32_t stays = back ? 0 : query.keep;
    plan.swap_out       = plan.swap_out && swap_out(stays);
    // Other jobs that run in the same pause find nothing that is awaited any more.
    awaited_            = awaited_ && !plan.swap_out && !back && query.keep == seq_.length();
    if (((plan.swap_out && stays == 0) || back) && mtp_ != nullptr) {
        mtp_->clear();
    }
    if (back) {
        seq_.move_in(std::move(back->copy));
        last_ = std::move(back->last);
        if (back->mtp) {
            mtp_->move_in(std::move(*back->mtp));
        }
    }
    return plan;
}

void slot::set_exact_rows(int32_t rows) {
    if (!seq_.set_exact_rows(rows)) {
        return;
    }
    forget();
    if (swap_ != nullptr) {
        swap_->clear(kind_);
    }
}

void slot::learn_from(const slot & other) {
    if (!other.statistics_.costs().measured()) {
        return;
    }
    statistics_.learn_from(other.statistics_);
    gpu_pace_ = other.gpu_pace_;
    if (ctx_.exact_rows() > 0 && ctx_.exact_rows() != other.ctx_.exact_rows()) {
        set_exact_rows(other.ctx_.exact_rows());
    }
}

void slot::calibrate(const abort_flag & abort) {
    if (const std::optional<int32_t> exact = calibration_.run(generations_, abort)) {
        set_exact_rows(*exact);
    }
}

} // namespace inkling

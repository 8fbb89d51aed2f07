#include "engine/slot/slot.h"

#include "engine/base/elapsed.h"
#include "engine/base/error.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

namespace inkling {

namespace {

// Batch sizes that are measured; decode_costs::interpolate tells the others.
constexpr int32_t  MEASURED_DRAFTS[] = {0, 1, 2, 4, MAX_DRAFT};
constexpr int32_t  REPETITIONS       = 3;
// Single tokens before the one that is timed where the backend keeps graphs: CUDA's takes up to three to keep one.
constexpr int32_t  SETTLING_TOKENS   = 3;
// Generations from the first calibration to the second, and the most from one to the next; twice as many each time.
constexpr uint64_t FIRST_INTERVAL    = 4;
constexpr uint64_t LONGEST_INTERVAL  = 64;

// The best time of all calls so far; 0 before the first.
template <typename work> void keep_best(double & best, const work & call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const double elapsed = milliseconds_since(start);
    best                 = best > 0.0 ? std::min(best, elapsed) : elapsed;
}

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
      pace_(/*blocks =*/ctx_.exact_rows() > 0) {}

void slot::warm_up() {
    const token_id token  = model_->facts().fim ? model_->facts().fim->prefix : 0;
    const auto     decode = [&](int32_t rows, logit_rows wanted) {
        const std::vector<token_id> tokens(static_cast<size_t>(std::min(rows, ctx_.batch_size())), token);
        ctx_.decode(tokens.data(), static_cast<int32_t>(tokens.size()), 0, wanted);
        ctx_.clear();
    };
    if (!ctx_.on_gpu()) {
        return decode(1, logit_rows::last);
    }
    // A GPU compiles kernels when a shape first needs them: in ggml's Vulkan backend one for each number of rows up to
    // eight, which took 1.2 s each with a model of 4B on an H100, and others for more rows and for more than 64. These
    // are the shapes of short and verify batches, and of the first two batches of a prompt.
    for (int32_t rows = 1; rows <= gpu_pace::SHORT_ROWS; ++rows) {
        decode(rows, logit_rows::all);
    }
    const int32_t first = pace_.next(ctx_.batch_size());
    decode(first, logit_rows::last);
    decode(2 * first, logit_rows::last);
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
    return gpu_pace_.pays(kind, gap, ctx_.recurrent_plane_bytes());
}

void slot::take_checkpoint(checkpoint_kind kind) {
    if (!checkpoint_pays(kind, seq_.length())) {
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    if (seq_.take_checkpoint(kind)) {
        gpu_pace_.observe_copy(ctx_.recurrent_plane_bytes(), milliseconds_since(start));
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
    gpu_pace_.observe_copy(item.copy.state.size(), milliseconds_since(start));
    if (both) {
        item.mtp = keep > 0 ? mtp_->copy() : mtp_->move_out();
    }
    item.last = std::exchange(last_, {});
    swap_->add(std::move(item));
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

bool slot::measure_exact_rows(const std::vector<token_id> & tokens, const abort_flag & abort) {
    const auto         width = static_cast<size_t>(model_->facts().vocabulary_size);
    // Behind each batch a token more, which sees the state that the batch left.
    std::vector<float> single;
    for (int32_t i = 0; i <= MOST_EXACT_ROWS; ++i) {
        if (abort.is_set()) {
            seq_.return_to_savepoint();
            return false;
        }
        seq_.append(tokens.data() + i, 1, logit_rows::last);
        single.insert(single.end(), ctx_.logits(-1), ctx_.logits(-1) + width);
    }
    seq_.return_to_savepoint();
    const auto same = [&](int32_t row, int32_t token) {
        return std::memcmp(ctx_.logits(row), single.data() + static_cast<size_t>(token) * width,
                           width * sizeof(float)) == 0;
    };
    int32_t & exact = unfinished_.exact_rows;
    while (exact < MOST_EXACT_ROWS) {
        if (abort.is_set()) {
            return false;
        }
        const int32_t rows     = exact + 1;
        bool          all_same = true;
        seq_.append(tokens.data(), rows, logit_rows::all);
        for (int32_t row = 0; row < rows; ++row) {
            all_same = all_same && same(row, row);
        }
        seq_.append(tokens.data() + rows, 1, logit_rows::last);
        all_same = all_same && same(-1, rows);
        seq_.return_to_savepoint();
        if (!all_same) {
            return true;
        }
        exact = rows;
    }
    return true;
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
    const int32_t length = seq_.length();
    if (abort.is_set() || !calibration_due() || ctx_.length() - length <= MOST_EXACT_ROWS + 1 ||
        ctx_.max_logit_rows() <= MAX_DRAFT) {
        return;
    }
    static_assert(MOST_EXACT_ROWS >= MAX_DRAFT);
    // All different, because a mixture of experts reads the weights of those that the tokens need.
    std::vector<token_id> filler;
    for (int32_t i = 0; i <= MOST_EXACT_ROWS; ++i) {
        filler.push_back(static_cast<token_id>((i + 1) * int64_t{7919} % model_->facts().vocabulary_size));
    }
    // Behind at least one token, so that there is a state to copy.
    if (length == 0) {
        seq_.append(filler.data(), 1, logit_rows::none);
    }
    // One that was cut short has measured the copy, and this one may have as little time.
    const int32_t copies = unfinished_.costs.save > 0.0 ? 1 : REPETITIONS;
    for (int32_t i = 0; i == 0 || (i < copies && !abort.is_set()); ++i) {
        keep_best(unfinished_.costs.save, [&] { seq_.set_savepoint(); });
    }
    const bool    first   = !statistics_.costs().measured();
    // Later only what drafts can use.
    const int32_t longest = first || ctx_.exact_rows() == 0 ? MAX_DRAFT : ctx_.exact_rows() - 1;
    const bool    compare = first && ctx_.exact_rows() > 0;
    const bool    whole   = measure_batches(filler, longest, abort) && (!compare || measure_exact_rows(filler, abort));
    length == 0 ? seq_.clear() : seq_.return_to_savepoint();
    seq_.drop_savepoint();
    if (!whole || abort.is_set()) {
        return;
    }
    measure_head(length, unfinished_.costs);
    if (ctx_.on_gpu()) {
        gpu_pace_.set_short(unfinished_.short_ms, unfinished_.long_ms);
    }
    const int32_t exact = unfinished_.exact_rows;
    decode_costs  now   = std::exchange(unfinished_, {}).costs;
    next_calibration_ =
        generations_ + std::min(LONGEST_INTERVAL, FIRST_INTERVAL << std::min<uint64_t>(calibrations_, 8));
    ++calibrations_;
    if (!first) {
        statistics_.remeasure(now);
        return;
    }
    if (compare && exact != ctx_.exact_rows()) {
        set_exact_rows(exact);
    }
    now.interpolate();
    statistics_.set_costs(now);
}

bool slot::measure_batches(const std::vector<token_id> & tokens, int32_t longest, const abort_flag & abort) {
    decode_costs &   measured = unfinished_.costs;
    const decode_cut cut      = [&] {
        return abort.is_set();
    };
    // In turn, so that whatever else the machine does disturbs them all.
    for (int32_t repetition = 0; repetition < REPETITIONS; ++repetition) {
        for (const int32_t drafts : MEASURED_DRAFTS) {
            int32_t & samples = unfinished_.samples[static_cast<size_t>(drafts)];
            if (drafts > longest || samples > repetition) {
                continue;
            }
            if (abort.is_set()) {
                return false;
            }
            if (drafts == 0 && ctx_.exact_rows() == 0) {
                // Plain decoding repeats this batch, which is when a backend keeps what it prepared for it. Without
                // this drafts would seem cheap.
                for (int32_t i = 0; i < SETTLING_TOKENS; ++i) {
                    seq_.append(tokens.data(), 1, logit_rows::all);
                }
            }
            // Not what it took where it was cut.
            bool   whole = false;
            double took  = measured.verify[static_cast<size_t>(drafts)];
            keep_best(took, [&] { whole = seq_.append(tokens.data(), drafts + 1, logit_rows::all, cut); });
            if (!whole) {
                return false;
            }
            measured.verify[static_cast<size_t>(drafts)] = took;
            keep_best(measured.restore, [&] { seq_.return_to_savepoint(); });
            ++samples;
        }
        if (ctx_.on_gpu() && !measure_short(tokens, repetition, abort)) {
            return false;
        }
    }
    return true;
}

bool slot::measure_short(const std::vector<token_id> & tokens, int32_t repetition, const abort_flag & abort) {
    static_assert(gpu_pace::SHORT_ROWS + 1 <= MOST_EXACT_ROWS + 1);
    if (unfinished_.short_samples > repetition) {
        return true;
    }
    for (const int32_t more : {0, 1}) {
        if (abort.is_set()) {
            return false;
        }
        keep_best(more == 0 ? unfinished_.short_ms : unfinished_.long_ms,
                  [&] { seq_.append(tokens.data(), gpu_pace::SHORT_ROWS + more, logit_rows::last); });
        seq_.return_to_savepoint();
    }
    ++unfinished_.short_samples;
    return true;
}

void slot::measure_head(int32_t length, decode_costs & into) {
    if (mtp_ == nullptr || statistics_.mtp_failures() > 0) {
        return;
    }
    mtp_copy held = mtp_->move_out();
    try {
        std::tie(into.draft_step, into.catch_up) = mtp_->measure(length);
    } catch (const std::exception & error) {
        if (is_device_failure(error)) {
            throw;
        }
        // Without a cost the head is not asked, and the rest holds.
        statistics_.count_mtp_failure();
    }
    mtp_->move_in(std::move(held));
}

} // namespace inkling

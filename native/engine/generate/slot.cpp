#include "engine/generate/slot.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

namespace inkling {

namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Batch sizes that are measured; decode_costs::interpolate tells the others.
constexpr int32_t  MEASURED_DRAFTS[] = {0, 1, 2, 4, MAX_DRAFT};
constexpr int32_t  REPETITIONS       = 3;
// Single tokens before the one that is timed where the backend keeps graphs: CUDA's takes up to three to keep one.
constexpr int32_t  SETTLING_TOKENS   = 3;
// Generations from the first calibration to the second, and the most from one to the next; twice as many each time.
constexpr uint64_t FIRST_INTERVAL    = 4;
constexpr uint64_t LONGEST_INTERVAL  = 64;

} // namespace

slot::slot(std::shared_ptr<const model> owner, const slot_params & params)
    : model_(std::move(owner)),
      vocabulary_(params.vocabulary != nullptr ? params.vocabulary : std::make_shared<vocabulary_index>(*model_)),
      swap_(params.swap),
      kind_(params.kind),
      ctx(model_, params.context),
      seq(ctx, params.checkpoint_budget_bytes),
      mtp(params.mtp ? mtp_head::create(model_, ctx) : nullptr),
      vocabulary(*vocabulary_) {}

void slot::forget() {
    seq.clear();
    live.clear();
    if (mtp != nullptr) {
        mtp->clear();
    }
}

bool slot::swap_out() {
    const uint64_t budget = swap_->budget();
    if (!ctx.can_copy() || seq.copy_bytes() > budget) {
        return false;
    }
    const uint64_t head = mtp != nullptr ? mtp->copy_bytes() : 0;
    const bool     both = mtp != nullptr && seq.copy_bytes() + head <= budget;
    swapped_prompt item;
    item.slot = kind_;
    item.copy = seq.move_out(both ? budget - head : budget);
    if (item.copy.state.empty()) {
        return false;
    }
    if (both) {
        item.mtp = mtp->move_out();
    }
    item.live = std::exchange(live, {});
    swap_->add(std::move(item));
    return true;
}

swap_plan slot::exchange(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries) {
    if (seq.shifted()) {
        // Nothing can come back to it.
        forget();
    }
    if (swap_ == nullptr || swap_->budget() == 0) {
        return {};
    }
    swap_query query;
    query.keep    = seq.plan(wanted, boundaries).keep;
    query.foreign = awaited ? seq.length() - query.keep : count_foreign(seq.tokens(), query.keep, wanted);
    for (const swapped_prompt & item : swap_->items()) {
        query.swapped_keeps.push_back(item.slot == kind_ ? seq.plan(item.copy, wanted, boundaries).keep : 0);
    }
    swap_plan                     plan = choose_swap(query);
    // Taken first: what is swapped out now must not push it out.
    std::optional<swapped_prompt> back;
    if (plan.swap_in) {
        back = swap_->take(*plan.swap_in);
    }
    plan.swap_out = plan.swap_out && swap_out();
    // Others that pass at the same boundary find nothing awaited any more.
    awaited       = awaited && !plan.swap_out && !back && query.keep == seq.length();
    if ((plan.swap_out || plan.swap_in) && mtp != nullptr) {
        mtp->clear();
    }
    if (back) {
        seq.move_in(std::move(back->copy));
        live = std::move(back->live);
        if (back->mtp) {
            mtp->move_in(std::move(*back->mtp));
        }
    }
    return plan;
}

int32_t slot::measure_exact_rows(const std::vector<token_id> & tokens, const abort_flag & abort) {
    const auto         width = static_cast<size_t>(model_->facts().vocabulary_size);
    // Behind each batch a token more, which sees the state that the batch left.
    std::vector<float> single;
    for (int32_t i = 0; i <= MOST_EXACT_ROWS && !abort.is_set(); ++i) {
        seq.append(tokens.data() + i, 1, logit_rows::last);
        single.insert(single.end(), ctx.logits(-1), ctx.logits(-1) + width);
    }
    seq.return_to_savepoint();
    const auto same = [&](int32_t row, int32_t token) {
        return std::memcmp(ctx.logits(row), single.data() + static_cast<size_t>(token) * width,
                           width * sizeof(float)) == 0;
    };
    int32_t exact = 1;
    for (int32_t rows = 2; rows <= MOST_EXACT_ROWS && exact == rows - 1 && !abort.is_set(); ++rows) {
        bool all_same = true;
        seq.append(tokens.data(), rows, logit_rows::all);
        for (int32_t row = 0; row < rows; ++row) {
            all_same = all_same && same(row, row);
        }
        seq.append(tokens.data() + rows, 1, logit_rows::last);
        exact = all_same && same(-1, rows) ? rows : exact;
        seq.return_to_savepoint();
    }
    return exact;
}

void slot::set_exact_rows(int32_t rows) {
    if (!seq.set_exact_rows(rows)) {
        return;
    }
    forget();
    if (swap_ != nullptr) {
        swap_->clear(kind_);
    }
}

void slot::learn_from(const slot & other) {
    if (!other.costs.measured()) {
        return;
    }
    costs        = other.costs;
    mtp_failures = std::max(mtp_failures, other.mtp_failures);
    if (ctx.exact_rows() > 0 && ctx.exact_rows() != other.ctx.exact_rows()) {
        set_exact_rows(other.ctx.exact_rows());
    }
}

void slot::calibrate(const abort_flag & abort) {
    const int32_t length = seq.length();
    if (!calibration_due() || ctx.length() - length <= MAX_DRAFT + 1 || ctx.max_logit_rows() <= MAX_DRAFT) {
        return;
    }
    // All different, because a mixture of experts reads the weights of those that the tokens need.
    std::vector<token_id> filler;
    for (int32_t i = 0; i <= MAX_DRAFT; ++i) {
        filler.push_back(static_cast<token_id>((i + 1) * int64_t{7919} % model_->facts().vocabulary_size));
    }
    // Behind at least one token, so that there is a state to copy.
    if (length == 0) {
        seq.append(filler.data(), 1, logit_rows::none);
    }
    // The best of each; an earlier calibration that was cut short has some of it already.
    decode_costs & measured = unfinished_.costs;
    const auto     time     = [](double & best, const auto & work) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const double elapsed = milliseconds_since(start);
        best                 = best > 0.0 ? std::min(best, elapsed) : elapsed;
    };
    const auto leave = [&] {
        length == 0 ? seq.clear() : seq.return_to_savepoint();
        seq.drop_savepoint();
    };
    for (int32_t i = 0; i < REPETITIONS; ++i) {
        time(measured.save, [&] { seq.set_savepoint(); });
    }
    const bool    first   = !costs.measured();
    // Again only what drafts can make use of.
    const int32_t longest = first || ctx.exact_rows() == 0 ? MAX_DRAFT : ctx.exact_rows() - 1;
    // In turn, so that whatever else the machine does meets them all.
    for (int32_t repetition = 0; repetition < REPETITIONS; ++repetition) {
        for (const int32_t drafts : MEASURED_DRAFTS) {
            int32_t & samples = unfinished_.samples[static_cast<size_t>(drafts)];
            if (drafts > longest || samples > repetition) {
                continue;
            }
            if (abort.is_set()) {
                leave();
                return;
            }
            if (drafts == 0 && ctx.exact_rows() == 0) {
                // Token by token llama.cpp goes on with the graph that it has; batches of changing sizes each need
                // another one. On a GPU that can be most of what a batch costs, and drafts seem cheap without this.
                for (int32_t i = 0; i < SETTLING_TOKENS; ++i) {
                    seq.append(filler.data(), 1, logit_rows::all);
                }
            }
            time(measured.verify[static_cast<size_t>(drafts)],
                 [&] { seq.append(filler.data(), drafts + 1, logit_rows::all); });
            time(measured.restore, [&] { seq.return_to_savepoint(); });
            ++samples;
        }
    }
    const int32_t exact = first && ctx.exact_rows() > 0 ? measure_exact_rows(filler, abort) : 0;
    leave();
    if (abort.is_set()) {
        return;
    }
    measure_head(length, measured);
    const decode_costs now = std::exchange(unfinished_, {}).costs;
    next_calibration_ =
        generations + std::min(LONGEST_INTERVAL, FIRST_INTERVAL << std::min<uint64_t>(calibrations_, 8));
    ++calibrations_;
    if (!first) {
        costs.remeasure(now);
        return;
    }
    if (exact > 0 && exact != ctx.exact_rows()) {
        set_exact_rows(exact);
    }
    costs = now;
    costs.interpolate();
}

void slot::measure_head(int32_t length, decode_costs & into) {
    if (mtp == nullptr || mtp_failures > 0) {
        return;
    }
    mtp_copy held = mtp->move_out();
    try {
        std::tie(into.draft_step, into.catch_up) = mtp->measure(length);
    } catch (const std::exception &) {
        // Without a cost the head is not asked, and the rest holds.
        ++mtp_failures;
    }
    mtp->move_in(std::move(held));
}

} // namespace inkling

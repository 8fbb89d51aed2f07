#include "engine/slot/calibration.h"

#include "engine/base/elapsed.h"
#include "engine/base/error.h"

#include <algorithm>
#include <chrono>
#include <cstring>
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

std::optional<int32_t> calibration::run(uint64_t generations, const abort_flag & abort) {
    const int32_t length = seq_.length();
    if (abort.is_set() || !due(generations) || ctx_.length() - length <= MOST_EXACT_ROWS + 1 ||
        ctx_.max_logit_rows() <= MAX_DRAFT) {
        return std::nullopt;
    }
    static_assert(MOST_EXACT_ROWS >= MAX_DRAFT);
    // All different, because a mixture of experts reads the weights of those that the tokens need.
    std::vector<token_id> filler;
    for (int32_t i = 0; i <= MOST_EXACT_ROWS; ++i) {
        filler.push_back(static_cast<token_id>((i + 1) * int64_t{7919} % ctx_.loaded_model().facts().vocabulary_size));
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
        return std::nullopt;
    }
    measure_head(length, unfinished_.costs);
    if (ctx_.on_gpu()) {
        pace_.observe_short(unfinished_.short_ms, unfinished_.long_ms);
    }
    const int32_t exact = unfinished_.exact_rows;
    decode_costs  now   = std::exchange(unfinished_, {}).costs;
    next_               = generations + std::min(LONGEST_INTERVAL, FIRST_INTERVAL << std::min<uint64_t>(done_, 8));
    ++done_;
    if (!first) {
        statistics_.remeasure(now);
        return std::nullopt;
    }
    now.interpolate();
    statistics_.set_costs(now);
    return compare && exact != ctx_.exact_rows() ? std::optional(exact) : std::nullopt;
}

bool calibration::measure_batches(const std::vector<token_id> & tokens, int32_t longest, const abort_flag & abort) {
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

bool calibration::measure_short(const std::vector<token_id> & tokens, int32_t repetition, const abort_flag & abort) {
    static_assert(gpu_pace::SHORT_ROWS <= MOST_EXACT_ROWS);
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

bool calibration::measure_exact_rows(const std::vector<token_id> & tokens, const abort_flag & abort) {
    const auto         width = static_cast<size_t>(ctx_.loaded_model().facts().vocabulary_size);
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

void calibration::measure_head(int32_t length, decode_costs & into) {
    if (head_ == nullptr || statistics_.mtp_failures() > 0) {
        return;
    }
    mtp_copy held = head_->move_out();
    try {
        std::tie(into.draft_step, into.catch_up) = head_->measure(length);
    } catch (const std::exception & error) {
        if (is_device_failure(error)) {
            throw;
        }
        // Without a cost the head is not asked, and the rest holds.
        statistics_.count_mtp_failure();
    }
    head_->move_in(std::move(held));
}

} // namespace inkling

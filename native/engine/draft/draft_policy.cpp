#include "engine/draft/draft_policy.h"

#include <algorithm>
#include <cmath>

namespace inkling {

namespace {

constexpr double COST_SMOOTHING = 0.1;
// The part of an unexpected time that changes the cost of the batch itself.
constexpr double OWN_SMOOTHING  = 0.01;
// A sample this many times slower than expected was disturbed by other processes.
constexpr double OUTLIER        = 3.0;
// Assumed before a measurement, in plain steps: a row more in a batch, a draft of the MTP head, a copy of the state.
// They cost less on every machine that we measured, so the drafts that are made pay.
constexpr double ASSUMED_ROW    = 0.25;
constexpr double ASSUMED_DRAFT  = 0.15;
constexpr double ASSUMED_COPY   = 0.1;
// Observations that a prior counts as, and the most that the past counts as.
constexpr double PRIOR_WEIGHT   = 8.0;
constexpr double MEMORY         = 200.0;

void smooth(double & average, double sample) {
    if (average <= 0.0) {
        average = sample;
    } else {
        average += COST_SMOOTHING * (std::min(sample, OUTLIER * average) - average);
    }
}

double prior(draft_source source, int32_t depth) {
    switch (source) {
        case draft_source::none:
        case draft_source::proposal:
        // Known only by the length of the match.
        case draft_source::lookup: return 0.0;
        case draft_source::mtp: return std::max(0.4, 0.78 - 0.04 * depth);
        case draft_source::old_suggestion: return 0.85;
    }
    return 0.0;
}

struct expected_round {
    double tokens; // the accepted drafts and the one that the model adds
    double time;   // of verifying, and of taking back what is rejected
};

expected_round expect(const decode_costs & costs, const acceptance_record & record, draft_source source, int32_t length,
                      const draft_limits & limits) {
    const bool     by_copy = limits.by_copy;
    expected_round round{1.0, costs.verify[static_cast<size_t>(length)] + (by_copy ? costs.save : 0.0)};
    double         chance = 1.0;
    for (int32_t depth = 0; depth < length; ++depth) {
        const double accepted =
            chance * (source == draft_source::lookup ? record.at_bucket(source, depth, limits.lookup_bucket)
                                                     : record.at_depth(source, depth));
        if (by_copy) {
            // Rejected here: the chosen token and the drafts before this one are evaluated again.
            round.time += (chance - accepted) * (costs.restore + costs.verify[static_cast<size_t>(depth)]);
        }
        chance = accepted;
        round.tokens += chance;
    }
    return round;
}

} // namespace

void decode_costs::observe_verify(int32_t drafts, double milliseconds) {
    if (assumed || drafts < 0 || drafts > MAX_DRAFT) {
        return;
    }
    double & own = verify[static_cast<size_t>(drafts)];
    if (own <= 0.0) {
        own = milliseconds;
        return;
    }
    const double surprise = std::min(milliseconds / own, OUTLIER) - 1.0;
    for (double & cost : verify) {
        cost *= 1.0 + COST_SMOOTHING * surprise;
    }
    own *= 1.0 + OWN_SMOOTHING * surprise;
}

void decode_costs::remeasure(const decode_costs & now) {
    if (verify[0] <= 0.0 || now.verify[0] <= 0.0) {
        return;
    }
    for (size_t drafts = 1; drafts < verify.size(); ++drafts) {
        if (now.verify[drafts] > 0.0) {
            verify[drafts] = std::sqrt(verify[drafts] * (now.verify[drafts] / now.verify[0] * verify[0]));
        }
    }
    const double level = verify[0] / now.verify[0];
    save               = now.save * level;
    restore            = now.restore * level;
    if (now.draft_step > 0.0) {
        draft_step = draft_step > 0.0 ? std::sqrt(draft_step * now.draft_step * level) : now.draft_step * level;
        catch_up   = now.catch_up * level;
    }
    bound_by_longer();
}

void decode_costs::bound_by_longer() {
    double longer = 0.0;
    for (auto cost = verify.rbegin(); cost != verify.rend(); ++cost) {
        // 0 is not measured.
        if (*cost > 0.0) {
            longer = longer > 0.0 ? std::min(*cost, longer) : *cost;
            *cost  = longer;
        }
    }
}

void decode_costs::interpolate() {
    bound_by_longer();
    size_t low = 0;
    for (size_t high = 1; high < verify.size(); ++high) {
        if (verify[high] <= 0.0) {
            continue;
        }
        for (size_t drafts = low + 1; drafts < high; ++drafts) {
            const double part = static_cast<double>(drafts - low) / static_cast<double>(high - low);
            verify[drafts]    = verify[low] * (1.0 - part) + verify[high] * part;
        }
        low = high;
    }
}

void decode_costs::observe_draft(double milliseconds) {
    if (!assumed) {
        smooth(draft_step, milliseconds);
    }
}

decode_costs assumed_costs(uint64_t weights_bytes) {
    decode_costs costs;
    if (weights_bytes < LARGE_WEIGHTS) {
        return costs;
    }
    for (size_t drafts = 0; drafts < costs.verify.size(); ++drafts) {
        costs.verify[drafts] = 1.0 + ASSUMED_ROW * static_cast<double>(drafts);
    }
    costs.draft_step = ASSUMED_DRAFT;
    costs.save = costs.restore = ASSUMED_COPY;
    costs.assumed              = true;
    return costs;
}

int32_t acceptance_record::margin_bucket(float margin) {
    return margin < 1.0f ? 0 : margin < 2.5f ? 1 : margin < 5.0f ? 2 : 3;
}

int32_t acceptance_record::match_bucket(int32_t tokens) {
    return tokens < 3 ? 0 : tokens < 5 ? 1 : tokens < 8 ? 2 : 3;
}

std::array<std::array<acceptance_record::rate, MAX_DRAFT>, DRAFT_SOURCES> acceptance_record::initial() {
    std::array<std::array<rate, MAX_DRAFT>, DRAFT_SOURCES> table{};
    for (int32_t source = 0; source < DRAFT_SOURCES; ++source) {
        for (int32_t depth = 0; depth < MAX_DRAFT; ++depth) {
            table[static_cast<size_t>(source)][static_cast<size_t>(depth)] = {
                prior(static_cast<draft_source>(source), depth), PRIOR_WEIGHT};
        }
    }
    return table;
}

std::array<acceptance_record::bucket_rates, DRAFT_SOURCES> acceptance_record::initial_buckets() {
    std::array<bucket_rates, DRAFT_SOURCES> table{};
    const auto fill = [&](draft_source source, int32_t row, const std::array<double, BUCKETS> & values) {
        for (size_t bucket = 0; bucket < values.size(); ++bucket) {
            table[static_cast<size_t>(source)][static_cast<size_t>(row)][bucket] = {values[bucket], PRIOR_WEIGHT};
        }
    };
    for (int32_t row = 0; row < 2; ++row) {
        fill(draft_source::mtp, row, {0.45, 0.65, 0.85, 0.97});
    }
    fill(draft_source::lookup, 0, {0.5, 0.65, 0.8, 0.9});
    fill(draft_source::lookup, 1, {0.65, 0.7, 0.75, 0.9});
    return table;
}

void acceptance_record::rate::observe(bool accepted) {
    weight = std::min(weight + 1.0, MEMORY);
    value += ((accepted ? 1.0 : 0.0) - value) / weight;
}

double expect_rounds(double typical, int32_t said, int32_t room) {
    // About two tokens a round. An answer that is already longer than most is likely to grow further.
    const double tokens = std::min(std::max(typical - said, typical / 2.0), static_cast<double>(room));
    return std::max(1.0, tokens / 2.0);
}

double acceptance_record::at_depth(draft_source source, int32_t depth) const {
    return depth_[static_cast<size_t>(source)][static_cast<size_t>(std::min(depth, MAX_DRAFT - 1))].value;
}

double acceptance_record::at_bucket(draft_source source, int32_t depth, int32_t bucket) const {
    return buckets_[static_cast<size_t>(source)][depth == 0 ? 0 : 1][static_cast<size_t>(bucket)].value;
}

void acceptance_record::observe(draft_source source, int32_t offered, int32_t accepted, const int32_t * buckets) {
    const auto row = static_cast<size_t>(source);
    // What came after the first rejection was never compared.
    for (int32_t depth = 0; depth < std::min({offered, accepted + 1, MAX_DRAFT}); ++depth) {
        depth_[row][static_cast<size_t>(depth)].observe(depth < accepted);
        if (buckets != nullptr) {
            buckets_[row][depth == 0 ? 0 : 1][static_cast<size_t>(buckets[depth])].observe(depth < accepted);
        }
    }
}

int32_t draft_bounds::longest() const {
    int32_t most = std::min({room, rows - 1, MAX_DRAFT});
    if (recurrent && snapshots > 0) {
        most = std::min(most, snapshots);
    }
    // A longer batch would compute other numbers than plain decoding does.
    if (verified && exact_rows > 0) {
        most = std::min(most, exact_rows - 1);
    }
    return std::max(0, most);
}

draft_choice choose_draft(const decode_costs & costs, const acceptance_record & record, const draft_limits & limits,
                          double margin) {
    draft_choice best;
    if (!costs.known()) {
        return best;
    }
    best.plain_rate     = 1.0 / costs.verify[0];
    best.rate           = best.plain_rate;
    const auto consider = [&](draft_source source, int32_t limit, double fixed, double per_draft) {
        for (int32_t length = 1; length <= std::min(limit, MAX_DRAFT); ++length) {
            const expected_round round = expect(costs, record, source, length, limits);
            const double         rate  = round.tokens / (fixed + per_draft * length + round.time);
            if (costs.verify[static_cast<size_t>(length)] > 0.0 && rate > best.rate &&
                rate > margin * best.plain_rate) {
                best.source = source;
                best.length = length;
                best.rate   = rate;
            }
        }
    };
    consider(draft_source::old_suggestion, limits.old_suggestion, 0.0, 0.0);
    consider(draft_source::lookup, limits.lookup, 0.0, 0.0);
    if (costs.draft_step > 0.0) {
        consider(draft_source::mtp, limits.mtp, costs.catch_up * limits.catch_up / limits.rounds_left,
                 costs.draft_step);
    }
    return best;
}

bool worth_another_draft(const decode_costs & costs, const next_draft & next, double rate) {
    if (next.drafted >= MAX_DRAFT) {
        return false;
    }
    const double verified = costs.verify[static_cast<size_t>(next.drafted)];
    double       extra    = costs.verify[static_cast<size_t>(next.drafted) + 1] - verified;
    if (!next.made) {
        extra += costs.draft_step;
    }
    if (next.by_copy) {
        extra += next.chance * (1.0 - next.likely) * (costs.restore + verified);
        extra += next.drafted == 0 ? costs.save : 0.0;
    }
    return next.chance * next.likely > rate * extra;
}

bool perfect_drafts_pay(const decode_costs & costs, const draft_limits & limits, double margin) {
    for (int32_t length = 1; length <= std::min(limits.mtp, MAX_DRAFT) && costs.known(); ++length) {
        const double time =
            costs.draft_step * length + costs.verify[static_cast<size_t>(length)] + (limits.by_copy ? costs.save : 0.0);
        if ((length + 1) / time > margin / costs.verify[0]) {
            return true;
        }
    }
    return false;
}

} // namespace inkling

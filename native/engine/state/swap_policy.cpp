#include "engine/state/swap_policy.h"

#include <algorithm>

namespace inkling {

namespace {

constexpr int32_t LEAST_LOSS = 64;
constexpr int32_t LEAST_GAIN = 32;
constexpr int32_t RUN        = 4;

std::vector<uint64_t> runs_of(const token_id * tokens, int32_t count) {
    std::vector<uint64_t> runs;
    for (int32_t i = 0; i + RUN <= count; ++i) {
        uint64_t run = 0;
        for (int32_t n = 0; n < RUN; ++n) {
            run = (run ^ static_cast<uint64_t>(tokens[i + n])) * 0x9E3779B97F4A7C15ull;
        }
        runs.push_back(run);
    }
    return runs;
}

} // namespace

swap_plan choose_swap(const swap_query & query) {
    swap_plan plan;
    plan.swap_out   = query.foreign >= std::max<double>(LEAST_LOSS, 2.0 * query.copy_tokens);
    const auto best = std::max_element(query.swapped_keeps.begin(), query.swapped_keeps.end());
    if (best != query.swapped_keeps.end() && *best >= query.keep + std::max<double>(LEAST_GAIN, query.copy_tokens)) {
        plan.swap_in = static_cast<size_t>(best - query.swapped_keeps.begin());
    }
    return plan;
}

int32_t count_foreign(const std::vector<token_id> & held, int32_t keep, const std::vector<token_id> & wanted) {
    std::vector<uint64_t> known = runs_of(wanted.data(), static_cast<int32_t>(wanted.size()));
    std::sort(known.begin(), known.end());
    int32_t foreign = 0;
    for (const uint64_t run : runs_of(held.data() + keep, static_cast<int32_t>(held.size()) - keep)) {
        foreign += std::binary_search(known.begin(), known.end(), run) ? 0 : 1;
    }
    return foreign;
}

} // namespace inkling

#include "engine/draft/draft_statistics.h"

#include <algorithm>

namespace inkling {

namespace {

constexpr int32_t MOST_MTP_FAILURES = 3;
// Generations without the head before it is tried again.
constexpr int32_t PROBE_INTERVAL    = 64;

} // namespace

void draft_statistics::learn_from(const draft_statistics & other) {
    costs_        = other.costs_;
    mtp_failures_ = std::max(mtp_failures_, other.mtp_failures_);
}

bool draft_statistics::mtp_given_up() const {
    return mtp_failures_ >= MOST_MTP_FAILURES;
}

bool draft_statistics::mtp_probe_due() const {
    return since_probe_ >= PROBE_INTERVAL;
}

} // namespace inkling

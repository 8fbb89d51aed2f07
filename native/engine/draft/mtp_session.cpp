#include "engine/draft/mtp_session.h"

#include "engine/base/error.h"

#include <string_view>

namespace inkling {

mtp_session::mtp_session(mtp_head * head, const context & trunk, draft_statistics & statistics, bool reads_ahead)
    : head_(head), trunk_(trunk), statistics_(statistics), reads_ahead_(reads_ahead) {}

bool mtp_session::wants_rows(int32_t distance) const {
    return following_ && distance < (reads_ahead_ ? mtp_head::READ_AHEAD : mtp_head::WINDOW);
}

void mtp_session::show(const token_id * tokens, int32_t count, token_position first_position) {
    if (!trunk_.hidden_rows()) {
        return;
    }
    if (!reads_ahead_) {
        head_->observe(trunk_, tokens, count, first_position);
        return;
    }
    try {
        head_->read(trunk_, tokens, count, first_position);
    } catch (const std::exception & error) {
        give_up(error);
    }
}

std::optional<mtp_draft> mtp_session::begin_draft(token_id last, int32_t length) {
    try {
        return head_->begin_draft(last, length);
    } catch (const std::exception & error) {
        give_up(error);
        return std::nullopt;
    }
}

std::optional<mtp_draft> mtp_session::continue_draft() {
    try {
        return head_->continue_draft();
    } catch (const std::exception & error) {
        give_up(error);
        return std::nullopt;
    }
}

void mtp_session::give_up(const std::exception & error) {
    if (is_device_failure(error)) {
        // The trunk computes on the same device. This rethrows what is being handled.
        throw;
    }
    // The trunk still holds what it held: only the head's own context may be half-way.
    const std::string_view why = error.what();
    failure_                   = why.substr(0, why.find('\n'));
    statistics_.count_mtp_failure();
    following_ = false;
    head_->clear();
}

} // namespace inkling

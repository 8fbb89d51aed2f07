#include "engine/state/sequence.h"

#include "engine/base/error.h"

#include <algorithm>
#include <limits>
#include <string>

namespace inkling {

namespace {

// Enough for the section boundaries of a prompt and for some hundred tokens of typed text and completion.
constexpr uint64_t SWAPPED_CHECKPOINTS = 16;

} // namespace

sequence::sequence(context & ctx, uint64_t checkpoint_budget_bytes)
    : ctx_(ctx),
      history_(ctx.exact_rows(), block_of(ctx.batch_size())),
      checkpoints_(checkpoint_budget_bytes),
      recurrent_(ctx.loaded_model().facts().recurrent),
      savepoint_state_(ctx.copies()) {}

int32_t sequence::rollback_limit() const {
    return recurrent_ ? snapshots_left_ : length();
}

uint64_t sequence_copy::bytes() const {
    uint64_t sum = state.size() + tokens.size() * sizeof(token_id);
    for (const checkpoint & item : checkpoints) {
        sum += item.state.size();
    }
    return sum;
}

void sequence_copy::thin_checkpoints(size_t count, std::vector<state_copy> & dropped) {
    if (checkpoints.size() > count) {
        const uint64_t   kept = count * checkpoints.front().state.size();
        checkpoint_store store(std::numeric_limits<uint64_t>::max());
        store.put_all(std::move(checkpoints));
        store.shrink_to(kept, &dropped);
        checkpoints = store.take_all();
    }
}

reuse_plan sequence::plan(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries) const {
    if (shifted_) {
        return {};
    }
    return plan({tokens_, history_, checkpoints_.lengths(), rollback_limit()}, wanted, boundaries);
}

reuse_plan sequence::plan(const sequence_copy & copy, const std::vector<token_id> & wanted,
                          const std::vector<int32_t> & boundaries) const {
    std::vector<int32_t> lengths;
    for (const checkpoint & item : copy.checkpoints) {
        lengths.push_back(item.length);
    }
    const int32_t rollback = recurrent_ ? 0 : static_cast<int32_t>(copy.tokens.size());
    return plan({copy.tokens, copy.history, std::move(lengths), rollback}, wanted, boundaries);
}

reuse_plan sequence::plan(held_state held, const std::vector<token_id> & wanted,
                          const std::vector<int32_t> & boundaries) const {
    const auto mismatch = std::mismatch(held.tokens.begin(), held.tokens.end(), wanted.begin(), wanted.end());

    reuse_query query;
    query.held           = static_cast<int32_t>(held.tokens.size());
    query.common         = static_cast<int32_t>(mismatch.first - held.tokens.begin());
    query.wanted         = static_cast<int32_t>(wanted.size());
    query.rollback_limit = held.rollback_limit;
    query.checkpoints    = std::move(held.checkpoints);
    if (ctx_.exact_rows() > 0) {
        // The batches of a fresh evaluation, and where what is held went through the same ones.
        batch_history fresh(ctx_.exact_rows(), block_of(ctx_.batch_size()));
        for (const int32_t end : batch_ends(boundaries, query.wanted, ctx_.batch_size())) {
            fresh.append(end - fresh.length());
            if (fresh.path_at(end) == held.history.path_at(end)) {
                query.ends.push_back(end);
            }
        }
        query.free_from = std::numeric_limits<int32_t>::max();
        if (const int32_t start = fresh.length(); start < query.common) {
            fresh.append(1);
            if (fresh.path_at(start + 1) == held.history.path_at(start + 1)) {
                query.free_from = start + 1;
                query.free_to   = held.history.end_of(start + 1);
            }
        }
    }

    return choose_reuse(query);
}

reuse_plan sequence::align(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries) {
    const reuse_plan chosen = plan(wanted, boundaries);
    switch (chosen.action) {
        case reuse_action::append: break;
        case reuse_action::roll_back: roll_back(length() - chosen.keep); break;
        case reuse_action::restore: restore(chosen.keep); break;
        case reuse_action::rebuild: clear(); break;
    }
    return chosen;
}

bool sequence::answers(const std::vector<token_id> & wanted, const std::vector<int32_t> & boundaries) const {
    if (!logits_held_ || shifted_ || tokens_ != wanted) {
        return false;
    }
    batch_history fresh = fresh_history(length(), boundaries);
    if (fresh.length() < length()) {
        fresh.append(1);
    }
    return fresh.path_at(fresh.length()) == history_.path_at(length());
}

uint64_t sequence::path_behind(int32_t length, const std::vector<int32_t> & boundaries) const {
    batch_history fresh = fresh_history(length, boundaries);
    fresh.append(1);
    return fresh.path_at(fresh.length());
}

batch_history sequence::fresh_history(int32_t length, const std::vector<int32_t> & boundaries) const {
    batch_history fresh(ctx_.exact_rows(), block_of(ctx_.batch_size()));
    for (const int32_t end : batch_ends(boundaries, length, ctx_.batch_size())) {
        fresh.append(end - fresh.length());
    }
    return fresh;
}

bool sequence::set_exact_rows(int32_t rows) {
    const bool fewer = rows < ctx_.exact_rows();
    ctx_.set_exact_rows(rows);
    history_.set_exact_rows(rows);
    if (fewer) {
        clear();
    }
    return fewer;
}

bool sequence::append(const token_id * tokens, int32_t count, logit_rows rows, const decode_cut & cut) {
    at_savepoint_ = false;
    decoding_     = true;
    try {
        const bool whole = ctx_.decode(tokens, count, length(), rows, cut);
        decoding_        = false;
        if (!whole) {
            go_back();
            return false;
        }
    } catch (...) {
        // A decode that failed half-way may have moved the recurrent state; nothing that is held can be trusted.
        decoding_ = false;
        clear();
        throw;
    }
    tokens_.insert(tokens_.end(), tokens, tokens + count);
    history_.append(count);
    snapshots_left_ = std::min(ctx_.snapshot_limit(), count - 1);
    logits_held_    = rows != logit_rows::none;
    return true;
}

void sequence::go_back() {
    logits_held_    = false;
    snapshots_left_ = 0;
    if (!recurrent_) {
        if (!ctx_.remove_from(length())) {
            clear();
        }
        return;
    }
    // Some layers have moved on, others have not, and the backend's snapshots are no better.
    const int32_t below = checkpoints_.nearest_at_most(length());
    if (savepoint_holds_ && savepoint_length_ >= below) {
        return_to_savepoint();
    } else if (below > 0) {
        restore(below);
    } else {
        clear();
    }
}

void sequence::roll_back(int32_t count) {
    if (count == 0) {
        return;
    }
    const int32_t target = length() - count;
    if (!ctx_.remove_from(target)) {
        throw engine_error(error_code::internal,
                           "The backend refused to take back " + std::to_string(count) + " tokens");
    }
    shorten(target);
}

int32_t sequence::truncate(int32_t target) {
    if (target >= length()) {
        return length();
    }
    if (length() - target <= rollback_limit() && target > 0) {
        roll_back(length() - target);
    } else if (const int32_t below = checkpoints_.nearest_at_most(target); below > 0) {
        restore(below);
    } else {
        clear();
    }
    return length();
}

void sequence::restore(int32_t target) {
    const checkpoint * item = checkpoints_.find(target);
    if (item == nullptr || !ctx_.load_recurrent_state(item->state) || !ctx_.remove_from(target)) {
        throw engine_error(error_code::internal, "The checkpoint at " + std::to_string(target) + " tokens is unusable");
    }
    shorten(target);
}

void sequence::shorten(int32_t target) {
    tokens_.resize(static_cast<size_t>(target));
    history_.truncate(target);
    checkpoints_.truncate(target);
    snapshots_left_  = 0;
    logits_held_     = false;
    savepoint_holds_ = savepoint_holds_ && savepoint_length_ <= target;
    at_savepoint_    = false;
}

bool sequence::take_checkpoint(checkpoint_kind kind) {
    if (tokens_.empty() || ctx_.recurrent_plane_bytes() == 0 || checkpoints_.budget() == 0) {
        return false;
    }
    checkpoint item;
    item.length = length();
    item.kind   = kind;
    item.state  = checkpoints_.take_buffer(ctx_.recurrent_plane_bytes(), ctx_.copies());
    return ctx_.save_recurrent_state(item.state) && checkpoints_.add(std::move(item));
}

void sequence::shift(int32_t start, int32_t count) {
    ctx_.shift(start, count);
    tokens_.erase(tokens_.begin() + start, tokens_.begin() + start + count);
    history_.clear();
    history_.append(length());
    shifted_         = true;
    savepoint_holds_ = false;
    at_savepoint_    = false;
}

void sequence::set_savepoint() {
    savepoint_holds_  = false;
    at_savepoint_     = false;
    savepoint_length_ = length();
    if (recurrent_ && savepoint_length_ > 0) {
        savepoint_state_.resize(ctx_.recurrent_plane_bytes());
        if (!ctx_.save_recurrent_state(savepoint_state_)) {
            throw engine_error(error_code::internal,
                               "The state at " + std::to_string(savepoint_length_) + " tokens could not be copied");
        }
    }
    savepoint_holds_ = true;
    at_savepoint_    = true;
}

void sequence::return_to_savepoint() {
    if (at_savepoint_) {
        return;
    }
    if (savepoint_length_ == 0) {
        clear();
        return;
    }
    if ((recurrent_ && !ctx_.load_recurrent_state(savepoint_state_)) || !ctx_.remove_from(savepoint_length_)) {
        throw engine_error(error_code::internal,
                           "The copy of the state at " + std::to_string(savepoint_length_) + " tokens is unusable");
    }
    shorten(savepoint_length_);
    at_savepoint_ = true;
}

void sequence::drop_savepoint() {
    savepoint_length_ = 0;
    savepoint_holds_  = false;
    at_savepoint_     = false;
    state_copy(ctx_.copies()).swap(savepoint_state_);
}

void sequence::drop_checkpoints() {
    checkpoints_.shrink_to(0);
    if (!decoding_) {
        drop_savepoint();
    }
}

sequence_copy sequence::move_out(uint64_t limit, int32_t keep) {
    sequence_copy copy;
    copy.state = ctx_.save_state();
    if (copy.state.empty()) {
        return copy;
    }
    const uint64_t room =
        std::min(limit - copy_bytes(),
                 std::max<uint64_t>(copy.state.size(), SWAPPED_CHECKPOINTS * ctx_.recurrent_plane_bytes()));
    copy.history = history_;
    if (keep == 0) {
        checkpoints_.shrink_to(room);
        copy.tokens      = std::move(tokens_);
        copy.checkpoints = checkpoints_.take_all();
        clear();
        return copy;
    }
    copy.tokens = tokens_;
    // Both need the ways back to section boundaries.
    checkpoint_store        moved(room);
    std::vector<checkpoint> kept;
    for (checkpoint & item : checkpoints_.take_all()) {
        if (item.length > keep) {
            moved.add(std::move(item));
            continue;
        }
        if (item.kind == checkpoint_kind::boundary) {
            moved.add(item);
        }
        kept.push_back(std::move(item));
    }
    checkpoints_.put_all(std::move(kept));
    copy.checkpoints = moved.take_all();
    return copy;
}

void sequence::move_in(sequence_copy copy) {
    clear();
    if (!ctx_.load_state(copy.state)) {
        // The state is lost, which is no error: it is evaluated again.
        ctx_.clear();
        return;
    }
    tokens_  = std::move(copy.tokens);
    history_ = std::move(copy.history);
    // More rows may be known to be exact by now.
    history_.set_exact_rows(ctx_.exact_rows());
    checkpoints_.put_all(std::move(copy.checkpoints));
}

void sequence::give(std::vector<state_copy> dropped) {
    // Those of a model's other context may be smaller, or lie where the device cannot reach them.
    std::erase_if(dropped, [&](const state_copy & buffer) {
        return buffer.size() != ctx_.recurrent_plane_bytes() || buffer.get_allocator() != ctx_.copies();
    });
    checkpoints_.give(std::move(dropped));
}

void sequence::clear() {
    ctx_.clear();
    shifted_ = false;
    tokens_.clear();
    history_.clear();
    checkpoints_.clear();
    snapshots_left_  = 0;
    logits_held_     = false;
    savepoint_holds_ = false;
    at_savepoint_    = false;
}

} // namespace inkling

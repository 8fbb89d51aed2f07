#include "check.h"

#include "engine/draft_policy.h"

using namespace inkling;

namespace {

// verify[n] = first + n * more
decode_costs linear(double first, double more, double draft) {
    decode_costs costs;
    for (int32_t drafts = 0; drafts <= MAX_DRAFT; ++drafts) {
        costs.verify[static_cast<size_t>(drafts)] = first + more * drafts;
    }
    costs.draft_step = draft;
    return costs;
}

draft_limits mtp_only(int32_t most) {
    draft_limits limits;
    limits.mtp = most;
    return limits;
}

} // namespace

TEST("nothing is drafted before costs are measured") {
    CHECK(choose_draft({}, {}, mtp_only(8)).source == draft_source::none);
}

TEST("where a second token costs as much as a first, drafting never pays") {
    CHECK(choose_draft(linear(1.7, 1.7, 0.3), {}, mtp_only(8)).source == draft_source::none);
}

TEST("where weights dominate, drafts pay, and more of them the cheaper they are") {
    const auto dear  = choose_draft(linear(30.0, 1.0, 10.0), {}, mtp_only(8));
    const auto cheap = choose_draft(linear(30.0, 1.0, 1.0), {}, mtp_only(8));
    CHECK(dear.source == draft_source::mtp && cheap.source == draft_source::mtp);
    CHECK(cheap.length > dear.length);
    CHECK(cheap.rate > 1.8 * cheap.plain_rate);
    CHECK_EQUAL(choose_draft(linear(30.0, 1.0, 1.0), {}, mtp_only(2)).length, 2);
}

TEST("rejections shorten the draft to nothing, acceptances bring it back") {
    acceptance_record record;
    const auto        costs = linear(30.0, 4.0, 4.0);
    CHECK(choose_draft(costs, record, mtp_only(4)).source == draft_source::mtp);
    for (int i = 0; i < 200; ++i) {
        record.observe(draft_source::mtp, 4, 0, nullptr);
    }
    CHECK(choose_draft(costs, record, mtp_only(4)).source == draft_source::none);
    for (int i = 0; i < 400; ++i) {
        record.observe(draft_source::mtp, 4, 4, nullptr);
    }
    CHECK_EQUAL(choose_draft(costs, record, mtp_only(4)).length, 4);
}

TEST("sources compete: a draft at hand beats one that has to be made") {
    draft_limits limits   = mtp_only(4);
    limits.old_suggestion = 4;
    const auto choice     = choose_draft(linear(30.0, 1.0, 5.0), {}, limits);
    CHECK(choice.source == draft_source::old_suggestion);
}

TEST("rows to catch up on count against the MTP head") {
    decode_costs costs  = linear(10.0, 1.0, 3.0);
    costs.catch_up      = 1.0;
    draft_limits limits = mtp_only(4);
    CHECK(choose_draft(costs, {}, limits).source == draft_source::mtp);
    limits.catch_up = 100;
    CHECK(choose_draft(costs, {}, limits).source == draft_source::none);
}

TEST("one disturbed sample does not move a cost far") {
    decode_costs costs = linear(10.0, 1.0, 3.0);
    costs.observe_verify(0, 1000.0);
    CHECK(costs.verify[0] < 13.0);
    for (int i = 0; i < 100; ++i) {
        costs.observe_verify(0, 20.0);
    }
    CHECK(costs.verify[0] > 19.0);
}

TEST("another draft is worth it only above the plain rate") {
    const auto costs = linear(30.0, 1.0, 2.0);
    CHECK(worth_another_draft(costs, 0, 1.0, 0.5));
    CHECK(!worth_another_draft(costs, 3, 0.1, 0.5));
    CHECK(!worth_another_draft(costs, MAX_DRAFT, 1.0, 1.0));
}

TEST("margins sort into buckets and are learnt apart") {
    CHECK_EQUAL(acceptance_record::margin_bucket(0.1f), 0);
    CHECK_EQUAL(acceptance_record::margin_bucket(9.0f), 3);
    acceptance_record record;
    const int32_t     narrow[] = {0};
    for (int i = 0; i < 100; ++i) {
        record.observe(draft_source::mtp, 1, 0, narrow);
    }
    CHECK(record.at_margin(0, 0) < 0.1);
    CHECK(record.at_margin(0, 3) > 0.9);
}

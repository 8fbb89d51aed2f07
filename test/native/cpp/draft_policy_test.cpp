#include "check.h"

#include "engine/draft/draft_policy.h"

#include <cmath>

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

// The margin buckets of two drafts.
constexpr int32_t UNSURE[] = {0, 0};

} // namespace

TEST("the policy drafts nothing before costs are measured") {
    CHECK(choose_draft({}, {}, mtp_only(8)).source == draft_source::none);
}

TEST("before a measurement a large model gets one draft, more where they are sure, and a small one none") {
    const decode_costs small = assumed_costs(LARGE_WEIGHTS - 1);
    const decode_costs large = assumed_costs(LARGE_WEIGHTS);
    CHECK(!small.known() && large.known());
    CHECK(!large.measured());
    const draft_choice choice = choose_draft(large, {}, mtp_only(MAX_DRAFT));
    CHECK(choice.source == draft_source::mtp);
    // Made already, the first is verified however unsure it is; a second is made, and verified where it is sure.
    const acceptance_record record;
    for (int32_t bucket = 0; bucket < acceptance_record::BUCKETS; ++bucket) {
        const double first  = record.at_bucket(draft_source::mtp, 0, bucket);
        const double second = record.at_bucket(draft_source::mtp, 1, bucket);
        CHECK(worth_another_draft(large, {0, 1.0, first, true, false}, 1.0));
        CHECK_EQUAL(worth_another_draft(large, {1, first, second, true, false}, choice.rate), bucket > 0);
    }
    draft_limits lookup;
    lookup.lookup        = MAX_DRAFT;
    lookup.lookup_bucket = acceptance_record::BUCKETS - 1;
    const int32_t sure   = choose_draft(large, record, lookup).length;
    lookup.lookup_bucket = 0;
    CHECK(sure > 4 && choose_draft(large, record, lookup).length < sure);

    // They are no times, so no time changes them.
    decode_costs observed = large;
    observed.observe_verify(0, 30.0);
    observed.observe_draft(3.0);
    CHECK(observed.verify == large.verify);
    CHECK_EQUAL(observed.draft_step, large.draft_step);
}

TEST("drafting never pays where a second token costs as much as the first") {
    CHECK(choose_draft(linear(1.7, 1.7, 0.3), {}, mtp_only(8)).source == draft_source::none);
}

TEST("drafts pay where loading weights dominates, and cheaper drafts are longer") {
    const auto dear  = choose_draft(linear(30.0, 1.0, 10.0), {}, mtp_only(8));
    const auto cheap = choose_draft(linear(30.0, 1.0, 1.0), {}, mtp_only(8));
    CHECK(dear.source == draft_source::mtp && cheap.source == draft_source::mtp);
    CHECK(cheap.length > dear.length);
    CHECK(cheap.rate > 1.8 * cheap.plain_rate);
    CHECK_EQUAL(choose_draft(linear(30.0, 1.0, 1.0), {}, mtp_only(2)).length, 2);
}

TEST("rejections shorten the draft to nothing, and acceptances bring it back") {
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

TEST("an available draft beats one that the head has to make") {
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

TEST("the catch-up cost of the head is spread over the remaining rounds") {
    decode_costs costs  = linear(10.0, 1.0, 3.0);
    costs.catch_up      = 0.2;
    draft_limits limits = mtp_only(4);
    limits.catch_up     = 128;
    CHECK(choose_draft(costs, {}, limits).source == draft_source::none);
    limits.rounds_left = 30.0;
    CHECK(choose_draft(costs, {}, limits).source == draft_source::mtp);
}

TEST("the remaining rounds are those of a typical answer, limited by the tokens that may still come") {
    CHECK_EQUAL(expect_rounds(16.0, 0, 64), 8.0);
    CHECK_EQUAL(expect_rounds(16.0, 6, 64), 5.0);
    CHECK_EQUAL(expect_rounds(16.0, 40, 24), 4.0);
    CHECK_EQUAL(expect_rounds(16.0, 0, 3), 1.5);
    CHECK_EQUAL(expect_rounds(0.5, 0, 64), 1.0);
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

TEST("when the machine slows down or speeds up, the cost of every batch changes") {
    const auto   before = linear(10.0, 1.0, 3.0);
    decode_costs costs  = before;
    for (int i = 0; i < 200; ++i) {
        costs.observe_verify(0, 30.0);
    }
    CHECK(costs.verify[0] > 29.0);
    // Otherwise load during the calibration would prevent drafts for good.
    CHECK(costs.verify[2] / costs.verify[0] > 0.9 * before.verify[2] / before.verify[0]);
    CHECK(costs.verify[2] / costs.verify[0] < 1.1 * before.verify[2] / before.verify[0]);
}

TEST("the policy learns that a batch costs more than assumed while other sizes take turns with it") {
    decode_costs costs = linear(10.0, 1.0, 3.0);
    for (int i = 0; i < 600; ++i) {
        costs.observe_verify(0, 10.0);
        costs.observe_verify(1, 20.0);
    }
    CHECK(costs.verify[1] / costs.verify[0] > 1.8 && costs.verify[1] / costs.verify[0] < 2.2);
}

TEST("repeated measurements correct wrong costs and keep those that were not measured") {
    decode_costs costs = linear(10.0, 10.0, 3.0);
    const double last  = costs.verify[MAX_DRAFT];
    decode_costs now;
    now.verify[0]  = 20.0;
    now.verify[1]  = 22.0;
    now.verify[2]  = 26.0;
    now.draft_step = 2.0;
    for (int i = 0; i < 8; ++i) {
        costs.remeasure(now);
    }
    CHECK_EQUAL(costs.verify[0], 10.0);
    CHECK(std::abs(costs.verify[1] - 11.0) < 0.1 && std::abs(costs.verify[2] - 13.0) < 0.2);
    CHECK(std::abs(costs.draft_step - 1.0) < 0.1);
    CHECK_EQUAL(costs.verify[MAX_DRAFT], last);
}

TEST("costs of unmeasured batch sizes are interpolated from the measured ones") {
    decode_costs costs;
    costs.verify = {2.0, 3.0, 4.0, 0.0, 8.0, 0.0, 0.0, 14.0};
    costs.interpolate();
    const std::array<double, MAX_DRAFT + 1> whole = {2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0};
    CHECK(costs.verify == whole);
}

TEST("no batch costs more than a longer one") {
    decode_costs costs;
    costs.verify = {2.0, 17.0, 4.0, 0.0, 8.0, 0.0, 0.0, 6.0};
    costs.bound_by_longer();
    const std::array<double, MAX_DRAFT + 1> bounded = {2.0, 4.0, 4.0, 0.0, 6.0, 0.0, 0.0, 6.0};
    CHECK(costs.verify == bounded);
}

TEST("another draft must raise the rate of its round") {
    const auto costs = linear(30.0, 1.0, 2.0);
    CHECK(worth_another_draft(costs, {0, 1.0, 0.5, false, false}, 1.0 / 30.0));
    CHECK(!worth_another_draft(costs, {3, 0.1, 0.5, false, false}, 1.0 / 30.0));
    CHECK(!worth_another_draft(costs, {MAX_DRAFT, 1.0, 1.0, false, false}, 1.0 / 30.0));
    // The round already yields two tokens a step: a draft that beats plain decoding does not improve it.
    CHECK(worth_another_draft(costs, {1, 0.3, 0.5, false, false}, 1.0 / 30.0));
    CHECK(!worth_another_draft(costs, {1, 0.3, 0.5, false, false}, 2.0 / 30.0));
    // Making the draft is half of its cost here, and that half is already paid.
    CHECK(worth_another_draft(costs, {1, 0.3, 0.5, true, false}, 2.0 / 30.0));
    CHECK(worth_another_draft(costs, {1, 0.01, 0.5, true, false}, 0.0));
}

TEST("room, rows, the backend's snapshots and exact batches limit the draft length") {
    const auto longest = [](bool recurrent, int32_t snapshots, int32_t exact_rows, int32_t rows, int32_t room,
                            bool verified) {
        return draft_bounds{recurrent, snapshots, exact_rows, rows, room, verified}.longest();
    };
    CHECK_EQUAL(longest(false, 0, 0, 16, 100, true), MAX_DRAFT);
    CHECK_EQUAL(longest(false, 0, 3, 16, 100, true), 2);
    CHECK_EQUAL(longest(false, 0, 0, 4, 100, true), 3);
    CHECK_EQUAL(longest(false, 0, 0, 16, 5, true), 5);
    CHECK_EQUAL(longest(false, 0, 0, 16, -1, true), 0);
    CHECK_EQUAL(longest(true, 6, 0, 16, 100, true), 6);
    CHECK_EQUAL(longest(true, 1, 3, 16, 100, true), 1);
    // Trap 8: without snapshots, a copy of the state undoes a draft of any length.
    CHECK_EQUAL(longest(true, 0, 0, 16, 100, true), MAX_DRAFT);
    CHECK_EQUAL(longest(true, 0, 3, 16, 100, true), 2);
    // Unverified drafts are never rejected, so they need no exact batch. The backend's own limit still applies.
    CHECK_EQUAL(longest(true, 6, 3, 16, 100, false), 6);

    CHECK((draft_bounds{true, 0, 3, 16, 8, true}.by_copy()));
    CHECK((!draft_bounds{true, 2, 3, 16, 8, true}.by_copy()));
    CHECK((!draft_bounds{false, 0, 3, 16, 8, true}.by_copy()));
    CHECK((!draft_bounds{true, 0, 3, 16, 8, false}.by_copy()));
}

TEST("trap 8: where a rejected draft costs a copy and a replay, drafts of any source must still pay") {
    decode_costs costs = linear(10.0, 1.0, 0.5);
    for (draft_limits limits :
         {draft_limits{2, 0, 0, 0, true}, draft_limits{0, 2, 0, 0, true}, draft_limits{0, 0, 2, 0, true}}) {
        costs.save = costs.restore = 0.2;
        acceptance_record record;
        for (int i = 0; i < 100; ++i) {
            for (const auto source : {draft_source::mtp, draft_source::lookup, draft_source::old_suggestion}) {
                record.observe(source, 2, i % 10 < 8 ? 2 : 1, UNSURE);
            }
        }
        const draft_choice cheap = choose_draft(costs, record, limits);
        CHECK(cheap.source != draft_source::none);
        draft_limits free_of_charge = limits;
        free_of_charge.by_copy      = false;
        CHECK(cheap.rate < choose_draft(costs, record, free_of_charge).rate);
        // Now the copy alone costs more than a plain step.
        costs.save = 15.0;
        CHECK(choose_draft(costs, record, limits).source == draft_source::none);
        CHECK(choose_draft(costs, record, free_of_charge).source != draft_source::none);
    }
    // Drafts that are mostly rejected do not pay because of the replay. With snapshots they would.
    costs.save = costs.restore = 0.2;
    acceptance_record record;
    for (int i = 0; i < 100; ++i) {
        record.observe(draft_source::lookup, 1, i % 10 < 3 ? 1 : 0, UNSURE);
    }
    CHECK(choose_draft(costs, record, {0, 1, 0, 0, true}).source == draft_source::none);
    CHECK(choose_draft(costs, record, {0, 1, 0, 0, false}).source == draft_source::lookup);

    const double plain = 1.0 / costs.verify[0];
    CHECK(worth_another_draft(costs, {1, 1.0, 0.3, false, false}, plain));
    CHECK(!worth_another_draft(costs, {1, 1.0, 0.3, false, true}, plain));
    CHECK(worth_another_draft(costs, {0, 1.0, 0.9, false, true}, plain));
    CHECK(perfect_drafts_pay(costs, {2, 0, 0, 0, true}));
    costs.save = 100.0;
    CHECK(!worth_another_draft(costs, {0, 1.0, 0.9, false, true}, plain));
    CHECK(worth_another_draft(costs, {1, 1.0, 0.9, false, true}, plain));
    CHECK(!perfect_drafts_pay(costs, {2, 0, 0, 0, true}));
    CHECK(!perfect_drafts_pay({}, {2, 0, 0, 0, false}));
}

TEST("the confidence of a source sorts into buckets, and each bucket learns separately") {
    CHECK_EQUAL(acceptance_record::margin_bucket(0.1f), 0);
    CHECK_EQUAL(acceptance_record::margin_bucket(9.0f), 3);
    CHECK_EQUAL(acceptance_record::match_bucket(2), 0);
    CHECK_EQUAL(acceptance_record::match_bucket(8), 3);
    for (const auto source : {draft_source::mtp, draft_source::lookup}) {
        acceptance_record record;
        for (int i = 0; i < 100; ++i) {
            record.observe(source, 1, 0, UNSURE);
        }
        CHECK(record.at_bucket(source, 0, 0) < 0.1);
        CHECK(record.at_bucket(source, 0, 3) > (source == draft_source::mtp ? 0.9 : 0.8));
    }
}

TEST("the confidence of an available draft counts before a more expensive one is made") {
    const auto        costs = linear(30.0, 4.0, 4.0);
    acceptance_record record;
    for (int i = 0; i < 100; ++i) {
        record.observe(draft_source::lookup, 2, 0, UNSURE);
    }
    draft_limits limits  = mtp_only(2);
    limits.lookup        = 2;
    limits.lookup_bucket = 0;
    CHECK(choose_draft(costs, record, limits).source == draft_source::mtp);
    limits.lookup_bucket = acceptance_record::BUCKETS - 1;
    CHECK(choose_draft(costs, record, limits).source == draft_source::lookup);
}

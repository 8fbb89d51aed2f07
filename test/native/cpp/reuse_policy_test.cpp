#include "check.h"

#include "engine/state/reuse_policy.h"

#include <algorithm>

using namespace inkling;

namespace {

std::string decide(const reuse_query & query) {
    const reuse_plan plan = choose_reuse(query);
    return std::string(to_string(plan.action)) + " " + std::to_string(plan.keep);
}

} // namespace

TEST("the policy appends to a held prefix of the wanted tokens") {
    CHECK_EQUAL(decide({0, 0, 5, 0, {}, {}, 0}), "append 0");
    CHECK_EQUAL(decide({3, 3, 5, 0, {}, {}, 0}), "append 3");
    CHECK_EQUAL(decide({3, 3, 5, 3, {1, 2, 3}, {}, 0}), "append 3");
}

TEST("the policy always evaluates the last wanted token again") {
    CHECK_EQUAL(decide({5, 5, 5, 1, {}, {}, 0}), "rollBack 4");
    CHECK_EQUAL(decide({5, 5, 5, 0, {3}, {}, 0}), "restore 3");
    CHECK_EQUAL(decide({1, 1, 1, 1, {}, {}, 0}), "rebuild 0");
}

TEST("the policy prefers the backend's rollback, then a checkpoint, then a rebuild") {
    CHECK_EQUAL(decide({10, 7, 12, 3, {4}, {}, 0}), "rollBack 7");
    CHECK_EQUAL(decide({10, 6, 12, 3, {4, 8}, {}, 0}), "restore 4");
    CHECK_EQUAL(decide({10, 6, 12, 3, {6}, {}, 0}), "restore 6");
    CHECK_EQUAL(decide({10, 6, 12, 3, {7, 8}, {}, 0}), "rebuild 0");
    CHECK_EQUAL(decide({10, 0, 12, 10, {}, {}, 0}), "rebuild 0");
}

TEST("the policy keeps a state only where a fresh evaluation would pass through it") {
    reuse_query query{10, 7, 12, 10, {}, {4, 8}, 100};
    CHECK_EQUAL(decide(query), "rollBack 4");
    query.rollback_limit = 2;
    query.checkpoints    = {2, 4, 6};
    CHECK_EQUAL(decide(query), "restore 4");
    query.ends = {5};
    CHECK_EQUAL(decide(query), "rebuild 0");
    query.free_from = 6;
    CHECK_EQUAL(decide(query), "restore 6");
    CHECK_EQUAL(decide({8, 8, 12, 0, {}, {7}, 100}), "rebuild 0");
    CHECK_EQUAL(decide({8, 8, 12, 0, {}, {8}, 100}), "append 8");
}

TEST("the policy keeps nothing behind a batch that a fresh evaluation has not") {
    reuse_query query{10, 9, 12, 10, {}, {4}, 6};
    CHECK_EQUAL(decide(query), "rollBack 9");
    query.free_to = 7;
    CHECK_EQUAL(decide(query), "rollBack 7");
    query.rollback_limit = 2;
    query.checkpoints    = {5, 7, 9};
    CHECK_EQUAL(decide(query), "restore 7");
    query.checkpoints = {4, 8};
    CHECK_EQUAL(decide(query), "restore 4");
    query = {8, 8, 12, 0, {}, {}, 6, 7};
    CHECK_EQUAL(decide(query), "rebuild 0");
}

namespace {

std::vector<int32_t> members(int mask) {
    std::vector<int32_t> lengths;
    for (int32_t length = 1; mask >> (length - 1) != 0; ++length) {
        if ((mask >> (length - 1)) % 2 != 0) {
            lengths.push_back(length);
        }
    }
    return lengths;
}

// Every possible step: tries each action with each length.
std::vector<reuse_plan> possible_plans(const reuse_query & query) {
    const auto has = [](const std::vector<int32_t> & lengths, int32_t length) {
        return std::find(lengths.begin(), lengths.end(), length) != lengths.end();
    };
    std::vector<reuse_plan> plans;
    for (int32_t keep = 0; keep < query.wanted && keep <= query.common; ++keep) {
        // The slot must not continue from a state that a fresh evaluation would not pass through.
        if (keep > 0 && keep < query.free_from && !has(query.ends, keep)) {
            continue;
        }
        if (keep == query.held) {
            plans.push_back({reuse_action::append, keep});
        }
        if (keep > 0 && keep < query.held && query.held - keep <= query.rollback_limit) {
            plans.push_back({reuse_action::roll_back, keep});
        }
        if (keep > 0 && has(query.checkpoints, keep)) {
            plans.push_back({reuse_action::restore, keep});
        }
    }
    plans.push_back({reuse_action::rebuild, 0});
    return plans;
}

// The tokens to evaluate weigh most. Among equals the cheaper way back wins, in the order of the actions.
int cost(const reuse_query & query, const reuse_plan & plan) {
    return (query.wanted - plan.keep) * 4 + static_cast<int>(plan.action);
}

} // namespace

TEST("in every small case the plan is possible, and no possible plan costs less") {
    int  cases  = 0;
    bool failed = false;
    for (int32_t held = 0; held <= 5; ++held) {
        for (int32_t common = 0; common <= held; ++common) {
            for (int32_t wanted = std::max(1, common); wanted <= 6; ++wanted) {
                for (int32_t rollback = 0; rollback <= held; ++rollback) {
                    for (int checkpoints = 0; checkpoints < (1 << held); ++checkpoints) {
                        for (int ends = 0; ends < (1 << std::min(held, wanted)); ++ends) {
                            for (int32_t free_from = 0; free_from <= held + 1 && !failed; ++free_from) {
                                const reuse_query query{held,          common,   wanted, rollback, members(checkpoints),
                                                        members(ends), free_from};
                                const reuse_plan  plan     = choose_reuse(query);
                                const auto        possible = possible_plans(query);
                                const auto        best     = std::min_element(possible.begin(), possible.end(),
                                                                              [&](const reuse_plan & a, const reuse_plan & b) {
                                                                       return cost(query, a) < cost(query, b);
                                                                   });
                                ++cases;
                                failed = plan.action != best->action || plan.keep != best->keep;
                                if (failed) {
                                    std::ostringstream text;
                                    text << "held " << held << ", common " << common << ", wanted " << wanted
                                         << ", rollback " << rollback << ", checkpoints " << checkpoints << ", ends "
                                         << ends << ", free from " << free_from << ": " << to_string(plan.action) << " "
                                         << plan.keep << " instead of " << to_string(best->action) << " " << best->keep;
                                    inkling_test::fail(__FILE__, __LINE__, text.str());
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    CHECK(cases > 100'000);
    std::cout << "     " << cases << " cases\n";
}

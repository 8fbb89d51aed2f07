#include "check.h"

#include "engine/reuse_policy.h"

#include <algorithm>

using namespace inkling;

namespace {

std::string decide(const reuse_query & query) {
    const reuse_plan plan = choose_reuse(query);
    return std::string(to_string(plan.action)) + " " + std::to_string(plan.keep);
}

} // namespace

TEST("what is held and wanted is appended to") {
    CHECK_EQUAL(decide({0, 0, 5, 0, {}, {}, 0}), "append 0");
    CHECK_EQUAL(decide({3, 3, 5, 0, {}, {}, 0}), "append 3");
    CHECK_EQUAL(decide({3, 3, 5, 3, {1, 2, 3}, {}, 0}), "append 3");
}

TEST("the last wanted token is always evaluated again") {
    CHECK_EQUAL(decide({5, 5, 5, 1, {}, {}, 0}), "rollBack 4");
    CHECK_EQUAL(decide({5, 5, 5, 0, {3}, {}, 0}), "restore 3");
    CHECK_EQUAL(decide({1, 1, 1, 1, {}, {}, 0}), "rebuild 0");
}

TEST("the backend takes back what it can, then a checkpoint serves, then nothing") {
    CHECK_EQUAL(decide({10, 7, 12, 3, {4}, {}, 0}), "rollBack 7");
    CHECK_EQUAL(decide({10, 6, 12, 3, {4, 8}, {}, 0}), "restore 4");
    CHECK_EQUAL(decide({10, 6, 12, 3, {6}, {}, 0}), "restore 6");
    CHECK_EQUAL(decide({10, 6, 12, 3, {7, 8}, {}, 0}), "rebuild 0");
    CHECK_EQUAL(decide({10, 0, 12, 10, {}, {}, 0}), "rebuild 0");
}

TEST("a state is kept only where a fresh evaluation would pass through it") {
    reuse_query query{10, 7, 12, 10, {}, {4, 8}, 100};
    CHECK_EQUAL(decide(query), "rollBack 4");
    query.rollback_limit = 2;
    query.checkpoints    = {2, 4, 6};
    CHECK_EQUAL(decide(query), "restore 4");
    query.seams = {5};
    CHECK_EQUAL(decide(query), "rebuild 0");
    query.free_from = 6;
    CHECK_EQUAL(decide(query), "restore 6");
    CHECK_EQUAL(decide({8, 8, 12, 0, {}, {7}, 100}), "rebuild 0");
    CHECK_EQUAL(decide({8, 8, 12, 0, {}, {8}, 100}), "append 8");
}

TEST("over every small case the plan is valid and nothing valid keeps more") {
    for (int32_t held = 0; held <= 6; ++held) {
        for (int32_t common = 0; common <= held; ++common) {
            for (int32_t wanted = 1; wanted <= 7; ++wanted) {
                if (common > wanted) {
                    continue;
                }
                for (int32_t rollback = 0; rollback <= held; ++rollback) {
                    for (int32_t mask = 0; mask < (1 << held); ++mask) {
                        reuse_query query{held, common, wanted, rollback, {}, {}, 0};
                        for (int32_t length = 1; length <= held; ++length) {
                            if ((mask & (1 << (length - 1))) != 0) {
                                query.checkpoints.push_back(length);
                            }
                        }
                        const int32_t    useful = std::min(common, wanted - 1);
                        const reuse_plan plan   = choose_reuse(query);
                        const auto       has    = [&](int32_t length) {
                            return std::find(query.checkpoints.begin(), query.checkpoints.end(), length) !=
                                   query.checkpoints.end();
                        };
                        int32_t best = held <= useful ? held : 0;
                        if (useful > 0 && held - useful <= rollback) {
                            best = std::max(best, useful);
                        }
                        for (int32_t length = 1; length <= useful; ++length) {
                            best = has(length) ? std::max(best, length) : best;
                        }
                        CHECK_EQUAL(plan.keep, best);
                        switch (plan.action) {
                            case reuse_action::append: CHECK_EQUAL(plan.keep, held); break;
                            case reuse_action::roll_back: CHECK(held - plan.keep <= rollback); break;
                            case reuse_action::restore: CHECK(has(plan.keep)); break;
                            case reuse_action::rebuild: CHECK_EQUAL(plan.keep, 0); break;
                        }
                    }
                }
            }
        }
    }
}

// llama.cpp accepts some calls and does something unexpected. Each case covers one such trap. The numbers are those of
// the project's list of traps. Other tests cover the rest:
//   2, 3  sharing cells between sequences: test/layout/native-sources.test.ts
//   6     samplers inside the backend: test/layout/native-sources.test.ts
//   7     memory that outlives its device: test/native/js/process.test.ts
//   8     no snapshots: speculation_test and draft_policy_test
#include "check.h"
#include "slots.h"

#include "engine/memory/memory_report.h"

#include <algorithm>
#include <cmath>

using namespace inkling;
using inkling_test::error_code_of;
using inkling_test::make_slot;
using inkling_test::mtp_of;
using inkling_test::run_on;
using inkling_test::seq_of;
using inkling_test::slot_options;
using inkling_test::tiny;

namespace {

const std::string TEXT =
    "export function total(values: number[]): number {\n  let sum = 0;\n  for (const value of v) {";

bool same_last_logits(const slot & left, const slot & right) {
    return inkling_test::same_logits(left.ctx().logits(-1), right.ctx().logits(-1),
                                     static_cast<size_t>(left.loaded_model().facts().vocabulary_size));
}

} // namespace

TEST("trap 1: a rollback reaches only the snapshots of the last batch, works once, and gives the true state") {
    for (const std::string name : {"qwen35moe+mtp", "lfm2"}) {
        const auto on     = make_slot(tiny(name));
        const auto fresh  = make_slot(tiny(name));
        const auto tokens = on->loaded_model().tokenize(TEXT, false);
        for (int32_t count = 1; count <= 3; ++count) {
            for (int32_t back = 0; back < count; ++back) {
                on->forget();
                fresh->forget();
                seq_of(*on).append(tokens.data(), 8, logit_rows::none);
                CHECK_EQUAL(on->seq().rollback_limit(), on->ctx().snapshot_limit());
                seq_of(*on).append(tokens.data() + 8, count, logit_rows::none);
                CHECK_EQUAL(on->seq().rollback_limit(), std::min(on->ctx().snapshot_limit(), count - 1));
                seq_of(*on).roll_back(back);
                if (back > 0) {
                    CHECK_EQUAL(on->seq().rollback_limit(), 0);
                }
                seq_of(*fresh).append(tokens.data(), 8, logit_rows::none);
                for (int32_t i = 0; i < count - back; ++i) {
                    seq_of(*fresh).append(tokens.data() + 8 + i, 1, logit_rows::none);
                }
                const token_id next = tokens[20];
                seq_of(*on).append(&next, 1, logit_rows::last);
                seq_of(*fresh).append(&next, 1, logit_rows::last);
                CHECK(same_last_logits(*on, *fresh));
            }
        }
        // A longer way back needs a checkpoint, although the backend would accept the call.
        on->forget();
        seq_of(*on).append(tokens.data(), 8, logit_rows::none);
        seq_of(*on).take_checkpoint(checkpoint_kind::boundary);
        seq_of(*on).append(tokens.data() + 8, 2, logit_rows::none);
        seq_of(*on).append(tokens.data() + 10, 1, logit_rows::none);
        CHECK_EQUAL(seq_of(*on).truncate(9), 8);
        CHECK_EQUAL(seq_of(*on).truncate(5), 0);
    }
}

TEST("trap 4: a token's hidden state does not depend on which tokens give logits") {
    for (const std::string name : {"", "qwen35moe+mtp", "qwen3next+mtp"}) {
        const slot_options options = name.empty() ? slot_options{} : tiny(name);
        const auto         last    = make_slot(options);
        const auto         all     = make_slot(options);
        const auto         tokens  = last->loaded_model().tokenize(TEXT, false);
        const auto         width   = static_cast<size_t>(last->loaded_model().facts().embedding_length);
        const auto         observe = [&](slot & on, int32_t from, int32_t count, logit_rows rows) {
            seq_of(on).set_hidden_rows(true);
            seq_of(on).append(tokens.data() + from, count, rows);
            mtp_of(on)->observe(on.ctx(), tokens.data() + from, count, from);
        };
        observe(*last, 0, 3, logit_rows::last);
        observe(*all, 0, 3, logit_rows::all);
        for (int32_t i = 0; i < 3; ++i) {
            CHECK(inkling_test::same_logits(last->ctx().hidden(i), all->ctx().hidden(i), width));
        }
        // The head's drafts do not depend on it either, from this hidden state or from its own next one.
        mtp_of(*last)->begin_draft(tokens[3], 3);
        mtp_of(*last)->end_draft();
        mtp_of(*all)->begin_draft(tokens[3], 3);
        mtp_of(*all)->end_draft();
        observe(*last, 3, 1, logit_rows::last);
        mtp_of(*last)->begin_draft(tokens[4], 4);
        mtp_of(*last)->end_draft();
        observe(*last, 4, 1, logit_rows::last);
        observe(*all, 3, 2, logit_rows::last);
        CHECK(all->mtp()->pending() > last->mtp()->pending());
        const mtp_draft first_alone  = mtp_of(*last)->begin_draft(tokens[5], 5);
        const mtp_draft first_batch  = mtp_of(*all)->begin_draft(tokens[5], 5);
        const mtp_draft second_alone = mtp_of(*last)->continue_draft();
        const mtp_draft second_batch = mtp_of(*all)->continue_draft();
        CHECK(inkling_test::same_draft(first_batch, first_alone));
        CHECK(first_batch.token != first_alone.token || inkling_test::same_draft(second_batch, second_alone));
    }
}

TEST("trap 5: compute buffers have room for the logits of a few tokens, not of a whole batch") {
    slot_set_params params;
    params.context.context_length = 1024;
    params.context.batch_size     = 512;
    slot_set            slots(inkling_test::starter_model(), params);
    const slot_set::use completion(slots, slot_kind::completion);
    const memory_report found = measure_memory(slots);
    const uint64_t      whole = 512ull * 16384 * sizeof(float);
    std::cout << "     compute " << found.slots().compute << ", logits of a whole batch " << whole << "\n";
    CHECK(found.slots().compute < whole);
}

TEST("trap 9: the engine refuses what would end the process inside the backend") {
    const auto         on = make_slot(tiny("mamba2"));
    generation_request request;
    request.max_tokens = 1;
    for (const token_id token : {-1, on->loaded_model().facts().vocabulary_size, 1 << 30}) {
        request.prompt = {token};
        CHECK_EQUAL(error_code_of([&] { run_on(*on, request); }), "invalidArgument");
    }
    request.prompt.assign(1025, token_id{1});
    CHECK_EQUAL(error_code_of([&] { run_on(*on, request); }), "promptTooLong");
    request.prompt = {token_id{1}};
    CHECK_EQUAL(run_on(*on, request).metrics.prompt_tokens, 1);
}

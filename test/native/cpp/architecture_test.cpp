// Checks what the engine assumes about the backend, on each supported model architecture.
#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include <algorithm>
#include <set>

using namespace inkling;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::seq_of;
using inkling_test::slot_options;
using inkling_test::tiny_architectures;
using inkling_test::tiny_model;

namespace {

const std::string PREFIX = "export function total(values: number[]): number {\n  let sum = 0;\n  for (const value of ";
const std::string SUFFIX = ";\n  }\n  return sum;\n}\n";

// The numbers of tokens, up to `most`, whose batch after `depth` others does not compute the bits of single tokens, or
// does not leave their state: the token after shows it.
std::vector<int32_t> inexact_batches(slot & on, const std::vector<token_id> & tokens, int32_t depth, int32_t most) {
    const auto width = static_cast<size_t>(on.loaded_model().facts().vocabulary_size);
    on.forget();
    for (int32_t at = 0; at < depth; at += on.ctx().batch_size()) {
        seq_of(on).append(tokens.data() + at, std::min(on.ctx().batch_size(), depth - at), logit_rows::none);
    }
    seq_of(on).set_savepoint();
    const token_id *   next = tokens.data() + depth;
    std::vector<float> single;
    for (int32_t i = 0; i <= most; ++i) {
        seq_of(on).append(next + i, 1, logit_rows::last);
        single.insert(single.end(), on.ctx().logits(-1), on.ctx().logits(-1) + width);
    }
    const auto same = [&](int32_t row, int32_t token) {
        const float * expected = single.data() + static_cast<size_t>(token) * width;
        return inkling_test::same_logits(on.ctx().logits(row), expected, width);
    };
    std::vector<int32_t> inexact;
    for (int32_t count = 2; count <= most; ++count) {
        seq_of(on).return_to_savepoint();
        seq_of(on).append(next, count, logit_rows::all);
        bool exact = true;
        for (int32_t i = 0; i < count; ++i) {
            exact = exact && same(i, i);
        }
        seq_of(on).append(next + count, 1, logit_rows::last);
        if (!exact || !same(-1, count)) {
            inexact.push_back(count);
        }
    }
    seq_of(on).drop_savepoint();
    return inexact;
}

const std::vector<int32_t> DEPTHS = {0, 3, 60};

std::string long_text() {
    std::string text;
    while (text.size() < 4000) {
        text += PREFIX + SUFFIX + SUFFIX + PREFIX;
    }
    return text;
}

void check_exact(const std::shared_ptr<const model> & model, kv_type kv, const std::string & what, int32_t threads = 1,
                 const std::vector<int32_t> & depths = DEPTHS) {
    const auto   tokens = model->tokenize(long_text(), false);
    slot_options options;
    options.context_length = 1024;
    options.model          = model;
    options.kv             = kv;
    options.threads        = threads;
    const auto    on       = make_slot(options);
    // A GPU computes the same batches, and a longer one, within its noise.
    const int32_t most     = inkling_test::bit_exact() ? MOST_EXACT_ROWS : MAX_DRAFT + 1;
    for (const int32_t depth : depths) {
        CHECK(depth + most < static_cast<int32_t>(tokens.size()));
        for (const int32_t count : inexact_batches(*on, tokens, depth, most)) {
            inkling_test::fail(__FILE__, __LINE__,
                               what + ": a batch of " + std::to_string(count) + " tokens behind " +
                                   std::to_string(depth) + " is not exact");
        }
    }
}

} // namespace

TEST("tiny models load, and their output depends on the context and does not repeat one token") {
    for (const std::string & name : tiny_architectures()) {
        const auto model = tiny_model(name);
        CHECK(name.starts_with(model->facts().architecture));
        CHECK_EQUAL(model->facts().recurrent, name != "qwen2");
        CHECK_EQUAL(model->facts().mtp_loaded, name.ends_with("+mtp"));
        slot_options options;
        options.model                      = model;
        const auto                      on = make_slot(options);
        std::set<std::vector<token_id>> outputs;
        std::set<token_id>              tokens;
        for (const std::string typed : {"a", "va", "values", "values.filter(", "x"}) {
            const auto result = run_on(*on, fim_request(PREFIX, SUFFIX, 24, typed));
            outputs.insert(result.tokens);
            tokens.insert(result.tokens.begin(), result.tokens.end());
        }
        CHECK(outputs.size() >= 4);
        CHECK(tokens.size() >= 20);
    }
}

TEST("a batch of up to eight tokens computes the same bits as single tokens, on each architecture") {
    for (const std::string & name : tiny_architectures()) {
        check_exact(tiny_model(name), kv_type::f16, name);
        check_exact(tiny_model(name), kv_type::q8_0, name + " with a cache of q8_0");
    }
}

TEST("a batch of up to eight tokens computes the same bits as single tokens, on several threads") {
    // This architecture has attention, recurrent layers and experts.
    const std::string name = "qwen35moe+mtp";
    check_exact(tiny_model(name), kv_type::f16, name + " on two threads", 2);
}

TEST("the number of threads changes no bit, since it changes while an answer is made") {
    constexpr int32_t DEPTH = 600;
    constexpr int32_t ROWS  = 5;
    for (const std::string & name : tiny_architectures()) {
        const auto                      model  = tiny_model(name);
        const auto                      tokens = model->tokenize(long_text(), false);
        std::vector<std::vector<float>> first;
        for (const int32_t threads : {1, 2, 3, 8}) {
            slot_options options;
            options.context_length = 1024;
            options.model          = model;
            options.threads        = threads;
            const auto on          = make_slot(options);
            for (int32_t at = 0; at < DEPTH; at += DEPTH / 3) {
                seq_of(*on).append(tokens.data() + at, DEPTH / 3, logit_rows::none);
            }
            seq_of(*on).append(tokens.data() + DEPTH, ROWS, logit_rows::all);
            const auto                      width = static_cast<size_t>(model->facts().vocabulary_size);
            std::vector<std::vector<float>> rows;
            const auto                      keep = [&](int32_t row) {
                const float * logits = on->ctx().logits(row);
                rows.emplace_back(logits, logits + width);
            };
            for (int32_t row = 0; row < ROWS; ++row) {
                keep(row);
            }
            seq_of(*on).append(tokens.data() + DEPTH + ROWS, 1, logit_rows::last);
            keep(-1);
            if (threads == 1) {
                first = rows;
            }
            if (inkling_test::bit_exact() && rows != first) {
                inkling_test::fail(__FILE__, __LINE__, name + " computes other bits on " + std::to_string(threads));
            }
        }
    }
}

TEST("a batch of up to eight tokens computes the same bits as single tokens, where attention reads 512 cells") {
    // ggml's attention may split that many among the threads.
    for (const std::string name : {"qwen2", "qwen35moe+mtp"}) {
        check_exact(tiny_model(name), kv_type::f16, name, 1, {600});
        check_exact(tiny_model(name), kv_type::q8_0, name + " with a cache of q8_0", 1, {600});
    }
}

TEST("a batch of up to eight tokens computes the same bits as single tokens, with each weight type") {
    for (const std::string type : {"f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q2_K", "q3_K", "q4_K",
                                   "q5_K", "q6_K", "iq4_nl", "iq4_xs"}) {
        check_exact(tiny_model("qwen2", type), kv_type::f16, type);
    }
}

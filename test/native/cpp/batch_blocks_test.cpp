// A section of a prompt gives the same numbers, whatever number of blocks its batches have. So the length of batches
// can follow the speed of the machine.
#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include "engine/slot/batch_pace.h"
#include "engine/state/batch_history.h"

#include <algorithm>

using namespace inkling;
using inkling_test::make_slot;
using inkling_test::seq_of;
using inkling_test::slot_options;
using inkling_test::tiny_architectures;
using inkling_test::tiny_model;

namespace {

constexpr int32_t BATCH_SIZE = 256;

// Evaluates the tokens as a prompt with these boundaries, in batches of at most `most` tokens. Returns their lengths.
std::vector<int32_t> evaluate(slot & on, const std::vector<token_id> & tokens, const std::vector<int32_t> & boundaries,
                              int32_t total, int32_t most) {
    const auto           ends = batch_ends(boundaries, total, BATCH_SIZE);
    std::vector<int32_t> lengths;
    on.forget();
    for (int32_t position = 0; position < total;) {
        const int32_t end = batch_end(ends, boundaries, position, most);
        seq_of(on).append(tokens.data() + position, end - position, end == total ? logit_rows::last : logit_rows::none);
        lengths.push_back(end - position);
        position = end;
    }
    return lengths;
}

std::vector<float> logits_of(const slot & on) {
    const float * row = on.ctx().logits(-1);
    return {row, row + on.loaded_model().facts().vocabulary_size};
}

// The logits after the prompt and, since they see the state that it left, after two more tokens.
std::vector<float> numbers_behind(slot & on, const std::vector<token_id> & next) {
    std::vector<float> all = logits_of(on);
    for (const token_id token : {next.at(0), next.at(1)}) {
        seq_of(on).append(&token, 1, logit_rows::last);
        const auto row = logits_of(on);
        all.insert(all.end(), row.begin(), row.end());
    }
    return all;
}

struct sections {
    std::vector<int32_t> boundaries;
    int32_t              total;
};

void check_blocks(const slot_options & options, const std::string & what, const std::vector<sections> & prompts) {
    const auto            on         = make_slot(options);
    const auto            vocabulary = on->loaded_model().facts().vocabulary_size;
    std::vector<token_id> tokens;
    for (int32_t i = 0; i < 1000; ++i) {
        tokens.push_back(300 + static_cast<token_id>((i * int64_t{7919}) % (vocabulary - 600)));
    }
    for (const auto & [boundaries, total] : prompts) {
        const auto longest  = evaluate(*on, tokens, boundaries, total, BATCH_SIZE);
        const auto expected = numbers_behind(*on, tokens);
        for (const int32_t most : {64, 128}) {
            const auto lengths = evaluate(*on, tokens, boundaries, total, most);
            CHECK(lengths.size() > longest.size());
            CHECK(*std::max_element(lengths.begin(), lengths.end()) < std::max(most + 1, 2 * BATCH_BLOCK));
            if (!inkling_test::same_logits(numbers_behind(*on, tokens).data(), expected.data(), expected.size())) {
                inkling_test::fail(__FILE__, __LINE__,
                                   what + ": batches of " + std::to_string(most) + " differ in a prompt of " +
                                       std::to_string(total));
            }
        }
    }
}

const std::vector<sections> PROMPTS = {{{}, 300}, {{40, 200, 473}, 473}};

} // namespace

TEST("batches end at blocks of 64 tokens, and the last one of a section takes what is left") {
    const std::vector<int32_t> none;
    CHECK(batch_ends(none, 300, 256) == (std::vector<int32_t>{64, 128, 192, 300}));
    CHECK(batch_ends(none, 127, 256) == (std::vector<int32_t>{127}));
    CHECK(batch_ends(none, 128, 256) == (std::vector<int32_t>{64, 128}));
    CHECK(batch_ends({10, 150}, 160, 256) == (std::vector<int32_t>{10, 74, 150}));
    // Too short for blocks.
    CHECK(batch_ends(none, 40, 16) == (std::vector<int32_t>{16, 32, 40}));

    const auto ends = batch_ends(none, 300, 256);
    CHECK_EQUAL(batch_end(ends, none, 0, 256), 192);
    CHECK_EQUAL(batch_end(ends, none, 192, 256), 300);
    CHECK_EQUAL(batch_end(ends, none, 0, 64), 64);
    CHECK_EQUAL(batch_end(ends, none, 192, 64), 300);
    CHECK_EQUAL(batch_end(ends, none, 300, 64), 300);
    // Never across a boundary.
    CHECK_EQUAL(batch_end(batch_ends({10, 150}, 160, 256), {10, 150}, 0, 256), 10);
    CHECK_EQUAL(batch_end(batch_ends({10, 150}, 160, 256), {10, 150}, 10, 256), 150);
}

TEST("batches of one, two and four blocks have the same history, and others do not") {
    const auto path = [](const std::vector<int32_t> & lengths) {
        batch_history history(3, BATCH_BLOCK);
        for (const int32_t length : lengths) {
            history.append(length);
        }
        return history.path_at(history.length());
    };
    CHECK_EQUAL(path({192, 108}), path({64, 64, 64, 108}));
    CHECK_EQUAL(path({256, 100}), path({128, 128, 100}));
    CHECK(path({192, 64, 44}) != path({192, 108}));
    CHECK(path({100, 200}) != path({192, 108}));
    batch_history whole(3, BATCH_BLOCK);
    whole.append(256);
    batch_history part(3, BATCH_BLOCK);
    part.append(128);
    CHECK_EQUAL(whole.path_at(128), part.path_at(128));
    CHECK_EQUAL(whole.path_at(100), 0u);
}

TEST("what is left of a long batch, and what follows it, is on a path of its own") {
    batch_history alone(8);
    batch_history cut(8);
    alone.append(4);
    cut.append(4);
    for (int32_t i = 0; i < 9; ++i) {
        alone.append(1);
    }
    cut.append(20);
    cut.truncate(10);
    cut.append(3);
    CHECK_EQUAL(cut.length(), alone.length());
    CHECK_EQUAL(cut.path_at(4), alone.path_at(4));
    for (int32_t length = 5; length <= 13; ++length) {
        CHECK(cut.path_at(length) != alone.path_at(length));
    }
    CHECK_EQUAL(alone.end_of(2), 13);
    CHECK_EQUAL(cut.end_of(2), 4);
    CHECK_EQUAL(cut.end_of(5), 10);
    CHECK_EQUAL(cut.end_of(11), 13);
}

TEST("on the CPU the pace of batches chooses among one, two and four blocks") {
    batch_pace pace(/*blocks =*/true);
    CHECK_EQUAL(pace.next(256), 64);
    pace.observe(64, 1000.0);
    CHECK_EQUAL(pace.next(256), 64);
    for (const int32_t expected : {128, 256, 256}) {
        pace.observe(pace.next(256), 20.0);
        CHECK_EQUAL(pace.next(256), expected);
    }
    pace.observe(256, 400.0);
    CHECK_EQUAL(pace.next(256), 128);
}

TEST("the length of batches changes no number, on each architecture") {
    if (!inkling_test::bit_exact("batches of other lengths")) {
        return;
    }
    for (const std::string & name : tiny_architectures()) {
        for (const kv_type kv : {kv_type::f16, kv_type::q8_0}) {
            slot_options options = inkling_test::tiny(name);
            options.kv           = kv;
            check_blocks(options, name + (kv == kv_type::f16 ? "" : " with a cache of q8_0"), PROMPTS);
        }
    }
    check_blocks({}, "the starter model", PROMPTS);
}

TEST("the length of batches changes no number, on two threads and behind 512 cells") {
    if (!inkling_test::bit_exact("batches of other lengths")) {
        return;
    }
    for (const std::string name : {"qwen2", "qwen35moe+mtp"}) {
        slot_options options = inkling_test::tiny(name);
        options.threads      = 2;
        check_blocks(options, name, {{{90, 700, 990}, 990}});
    }
}

TEST("the length of batches changes no number, with each weight type") {
    if (!inkling_test::bit_exact("batches of other lengths")) {
        return;
    }
    for (const std::string type : {"f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q2_K", "q3_K", "q4_K",
                                   "q5_K", "q6_K", "iq4_nl", "iq4_xs"}) {
        slot_options options;
        options.model = tiny_model("qwen2", type);
        check_blocks(options, type, PROMPTS);
    }
}

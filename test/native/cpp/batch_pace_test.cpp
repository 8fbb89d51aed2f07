// How long batches of a prompt are where their size does not change the answer, and what they leave out.
#include "check.h"
#include "fake_gpu.h"
#include "slots.h"
#include "tiny_models.h"

#include "engine/base/elapsed.h"
#include "engine/slot/batch_pace.h"
#include "engine/slot/gpu_pace.h"
#include "engine/slot/slot_set.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <set>
#include <thread>
#include <vector>

using namespace inkling;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::seq_of;
using inkling_test::tiny;
namespace gpu = inkling_test::fake_gpu;

namespace {

// Whether a copy goes into memory that was copied to before.
constexpr bool USED  = false;
constexpr bool FRESH = true;

// The sizes of the batches of `tokens` tokens where one token takes `ms`, and each batch `start` more.
std::vector<int32_t> sizes_at(batch_pace & pace, int32_t tokens, double ms, double start = 0.0) {
    std::vector<int32_t> sizes;
    for (int32_t left = tokens; left > 0; left -= sizes.back()) {
        sizes.push_back(std::min(left, pace.next(256)));
        pace.observe(sizes.back(), start + ms * sizes.back());
    }
    return sizes;
}

generation_request sections(int32_t vocabulary) {
    generation_request request;
    for (int32_t i = 0; i < 300; ++i) {
        request.prompt.emplace_back(token_id{(i * 7919 + 13) % vocabulary});
    }
    request.boundaries = {10, 20, 50};
    return request;
}

// How many products compute every row of a batch of this slot.
int products_of(slot & on, logit_rows rows) {
    constexpr int32_t           COUNT = 32;
    const std::vector<token_id> tokens(COUNT, token_id{7});
    const size_t                before = gpu::graphs().size();
    seq_of(on).append(tokens.data(), COUNT, rows);
    int products = 0;
    for (size_t i = before; i < gpu::graphs().size(); ++i) {
        products += gpu::graphs()[i].rows == COUNT ? gpu::graphs()[i].products : 0;
    }
    return products;
}

// How many rows each graph since then has.
std::vector<int64_t> rows_after(size_t before) {
    std::vector<int64_t> rows;
    for (size_t i = before; i < gpu::graphs().size(); ++i) {
        rows.push_back(gpu::graphs()[i].rows);
    }
    return rows;
}

} // namespace

TEST("a batch grows to what fits the limit, and shrinks with the machine's speed") {
    batch_pace pace;
    CHECK(sizes_at(pace, 700, 0.1) == (std::vector<int32_t>{64, 128, 256, 252}));
    // Ten times slower: one batch is too long, the next ones are not.
    CHECK(sizes_at(pace, 600, 1.0) == (std::vector<int32_t>{256, 128, 128, 88}));
    // No size is short enough.
    CHECK(sizes_at(pace, 300, 20.0) == (std::vector<int32_t>{128, 64, 32, 32, 32, 12}));
    CHECK(sizes_at(pace, 500, 0.1) == (std::vector<int32_t>{32, 64, 128, 256, 20}));
}

TEST("compiling kernels once, or a short last batch, does not keep batches short") {
    batch_pace pace;
    pace.observe(64, 900.0);
    pace.observe(3, 100.0);
    CHECK(sizes_at(pace, 700, 0.1) == (std::vector<int32_t>{32, 64, 128, 256, 220}));
    pace.observe(3, 0.5);
    CHECK_EQUAL(pace.next(256), 256);
    CHECK_EQUAL(pace.next(100), 100);
}

TEST("a copy is worth its time where evaluating its tokens again takes longer") {
    constexpr uint64_t BYTES = 50 << 20;
    gpu_pace           pace;
    pace.observe_copy(BYTES, 12.0, USED);
    CHECK(pace.pays(checkpoint_kind::completion, 1, BYTES, USED));
    pace.observe_batch(64, 64.0);
    CHECK(pace.pays(checkpoint_kind::typed, 13, BYTES, USED));
    CHECK(!pace.pays(checkpoint_kind::typed, 11, BYTES, USED));
    // Of larger batches each token takes less.
    pace.observe_batch(512, 51.2);
    pace.observe_batch(8, 30.0);
    CHECK(std::abs(pace.tokens_of(BYTES) - 120.0) < 0.1);
    for (const checkpoint_kind kind : {checkpoint_kind::interval, checkpoint_kind::completion}) {
        CHECK(pace.pays(kind, 481, BYTES, USED));
        CHECK(!pace.pays(kind, 479, BYTES, USED));
    }
    CHECK(pace.pays(checkpoint_kind::boundary, 31, BYTES, USED));
    CHECK(!pace.pays(checkpoint_kind::boundary, 29, BYTES, USED));
    // Something else slowed the first copy down.
    pace.observe_copy(2 * BYTES, 12.0, USED);
    CHECK(pace.pays(checkpoint_kind::typed, 61, BYTES, USED));
    CHECK(std::abs(pace.tokens_of(2 * BYTES) - 120.0) < 0.1);
}

TEST("a copy into fresh memory is judged by what such copies take") {
    constexpr uint64_t BYTES = 50 << 20;
    gpu_pace           pace;
    pace.observe_batch(512, 51.2);
    pace.observe_copy(BYTES, 2.0, USED);
    // As costly as the others before one was observed, and never less.
    CHECK(pace.pays(checkpoint_kind::typed, 20, BYTES, FRESH));
    pace.observe_copy(BYTES, 1.0, FRESH);
    CHECK(!pace.pays(checkpoint_kind::typed, 19, BYTES, FRESH));

    gpu_pace swapped;
    swapped.observe_batch(512, 51.2);
    swapped.observe_copy(2 * BYTES, 24.0, FRESH);
    CHECK(!swapped.pays(checkpoint_kind::typed, 119, BYTES, FRESH));
    CHECK(swapped.pays(checkpoint_kind::typed, 121, BYTES, FRESH));
    CHECK(std::abs(swapped.tokens_of(2 * BYTES) - 240.0) < 0.1);
    swapped.observe_copy(BYTES, 2.0, USED);
    CHECK(swapped.pays(checkpoint_kind::typed, 21, BYTES, USED));
    CHECK(!swapped.pays(checkpoint_kind::typed, 119, BYTES, FRESH));
    CHECK(std::abs(swapped.tokens_of(2 * BYTES) - 240.0) < 0.1);
}

TEST("another program on the GPU makes no copy look cheap") {
    constexpr uint64_t BYTES = 50 << 20;
    gpu_pace           pace;
    pace.observe_batch(512, 256.0);
    pace.observe_copy(BYTES, 13.0, FRESH);
    pace.observe_short(/*short_ms =*/24.0, /*long_ms =*/47.0);
    CHECK(!pace.pays(checkpoint_kind::completion, 9, BYTES, FRESH));
    // Measured while that program computed: a look at it decides nothing, and it counts if it stays.
    pace.observe_short(/*short_ms =*/53.0, /*long_ms =*/108.0);
    CHECK(!pace.pays(checkpoint_kind::completion, 9, BYTES, FRESH));
    pace.observe_short(/*short_ms =*/53.0, /*long_ms =*/108.0);
    pace.observe_short(/*short_ms =*/53.0, /*long_ms =*/108.0);
    CHECK(pace.pays(checkpoint_kind::completion, 9, BYTES, FRESH));
    // Alone again.
    pace.observe_short(/*short_ms =*/24.0, /*long_ms =*/47.0);
    CHECK(!pace.pays(checkpoint_kind::completion, 9, BYTES, FRESH));
}

TEST("a few tokens cost more on a GPU than so many of a long prompt") {
    constexpr uint64_t BYTES = 50 << 20;
    gpu_pace           pace;
    pace.observe_copy(BYTES, 12.0, USED);
    pace.observe_batch(512, 204.8);
    CHECK(!pace.pays(checkpoint_kind::typed, 29, BYTES, USED));
    // Not before it is measured.
    CHECK_EQUAL(pace.first_of(9), 9);
    pace.observe_short(/*short_ms =*/13.0, /*long_ms =*/42.0);
    CHECK(pace.pays(checkpoint_kind::typed, 8, BYTES, USED));
    CHECK(!pace.pays(checkpoint_kind::typed, 7, BYTES, USED));
    CHECK(!pace.pays(checkpoint_kind::completion, 29, BYTES, USED));
    // Three short batches take 39 ms.
    CHECK_EQUAL(pace.first_of(8), 8);
    CHECK_EQUAL(pace.first_of(9), 8);
    CHECK_EQUAL(pace.first_of(24), 8);
    CHECK_EQUAL(pace.first_of(25), 25);
    CHECK_EQUAL(pace.first_of(512), 512);
    // Behind a long context they take longer. One that something else slowed down counts little.
    pace.observe_batch(8, 19.0);
    CHECK_EQUAL(pace.first_of(24), 24);
    CHECK_EQUAL(pace.first_of(16), 8);
    pace.observe_batch(8, 500.0);
    CHECK_EQUAL(pace.first_of(16), 16);
    pace.observe_batch(8, 16.0);
    CHECK_EQUAL(pace.first_of(16), 8);
}

TEST("on a GPU the sections of a prompt cut batches only where they need a copy of the state") {
    if (!gpu::installed()) {
        std::cout << "     left out: set INKLING_TEST_GPU to fake, on a machine without a GPU\n";
        return;
    }
    for (const std::string name : {"qwen2", "lfm2"}) {
        const auto   options = tiny(name);
        const auto   on      = make_slot(options);
        const auto   request = sections(options.model->facts().vocabulary_size);
        const size_t before  = gpu::graphs().size();
        run_on(*on, request);
        const auto graphs = gpu::graphs().size() - before;
        // In a sanitizer's build a tiny model may be too slow for longer batches.
        if (on->seq().recurrent()) {
            CHECK(on->seq().checkpoints().lengths().size() >= 3);
            CHECK(graphs >= 5);
        } else {
            int64_t first = 0;
            for (size_t i = before; i < gpu::graphs().size() && first == 0; ++i) {
                first = gpu::graphs()[i].rows;
            }
            CHECK_EQUAL(first, 64);
            CHECK(graphs <= 10);
        }
    }
}

TEST("a batch whose results nobody reads leaves the last feed-forward network out") {
    if (!gpu::installed()) {
        std::cout << "     left out: set INKLING_TEST_GPU to fake, on a machine without a GPU\n";
        return;
    }
    // Its blocks end with the products of gate, input and output.
    const auto on = make_slot({});
    CHECK_EQUAL(products_of(*on, logit_rows::none), products_of(*on, logit_rows::last) - 3);
    // Those that the MTP head reads are computed.
    seq_of(*on).set_hidden_rows(true);
    CHECK_EQUAL(products_of(*on, logit_rows::none), products_of(*on, logit_rows::last));
}

TEST("a GPU has computed the shapes of the first keys when a model is loaded") {
    if (!gpu::installed()) {
        std::cout << "     left out: set INKLING_TEST_GPU to fake, on a machine without a GPU\n";
        return;
    }
    const auto options = tiny("qwen2");
    const auto on      = make_slot(options);
    size_t     before  = gpu::graphs().size();
    int        steps   = 0;
    const auto counted = [&] {
        ++steps;
    };
    on->warm_up(counted);
    CHECK_EQUAL(steps, gpu_pace::SHORT_ROWS);
    on->compile_for_prompts(counted);
    CHECK(steps > gpu_pace::SHORT_ROWS + 1);
    const auto warm        = rows_after(before);
    const auto is_computed = [&](int64_t rows) {
        return std::find(warm.begin(), warm.end(), rows) != warm.end();
    };
    // Single tokens, verify batches of one and two drafts, and the first batches of a prompt.
    for (const int64_t rows : {1, 2, 3, 64}) {
        CHECK(is_computed(rows));
    }
    CHECK_EQUAL(seq_of(*on).length(), 0);
    // A prompt's batches grow as far as they take little time.
    const int32_t               whole = on->ctx().batch_size();
    const std::vector<token_id> tokens(static_cast<size_t>(whole), token_id{7});
    const auto                  start = std::chrono::steady_clock::now();
    seq_of(*on).append(tokens.data(), whole, logit_rows::last);
    if (milliseconds_since(start) < batch_pace::BATCH_LIMIT_MS / 4.0) {
        CHECK(is_computed(128) && is_computed(whole));
    } else {
        std::cout << "     left out: longer batches, as this machine is too slow for them\n";
    }
    on->forget();
    before = gpu::graphs().size();
    run_on(*on, sections(options.model->facts().vocabulary_size));
    const auto prompt = rows_after(before);
    CHECK(!prompt.empty() && is_computed(prompt.front()));
}

TEST("a kernel that is compiled where a prompt has grown does not keep longer batches from being computed") {
    if (!gpu::installed()) {
        std::cout << "     left out: set INKLING_TEST_GPU to fake, on a machine without a GPU\n";
        return;
    }
    // The second batch of each length takes as long as a driver that compiles. A busy machine may make the third slow
    // too.
    std::vector<int64_t> warm;
    for (int turn = 0; turn < 5 && std::count(warm.begin(), warm.end(), 128) == 0; ++turn) {
        const auto on = make_slot(tiny("qwen2"));
        on->warm_up([] {});
        const size_t before = gpu::graphs().size();
        gpu::before_graph([&, compiled = std::set<int64_t>()]() mutable {
            const auto rows = rows_after(before);
            if (!rows.empty() && compiled.insert(rows.back()).second) {
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
            }
        });
        on->compile_for_prompts([] {});
        gpu::before_graph({});
        warm = rows_after(before);
        CHECK(std::count(warm.begin(), warm.end(), 64) == 3);
        CHECK_EQUAL(warm.front(), 16);
        CHECK_EQUAL(warm.back(), 1);
    }
    CHECK(std::count(warm.begin(), warm.end(), 128) >= 2);
}

TEST("kernels for prompts are compiled once for a model") {
    if (!gpu::installed()) {
        std::cout << "     left out: set INKLING_TEST_GPU to fake, on a machine without a GPU\n";
        return;
    }
    slot_set_params params;
    params.context.context_length = 1024;
    params.context.threads        = 1;
    params.chat_context_length    = 1024;
    slot_set   slots(tiny("qwen2").model, params);
    const auto longest_of_first_use = [&](slot_kind kind) {
        const size_t        before = gpu::graphs().size();
        const slot_set::use use(slots, kind);
        const auto          rows = rows_after(before);
        return rows.empty() ? 0 : *std::max_element(rows.begin(), rows.end());
    };
    CHECK(longest_of_first_use(slot_kind::completion) >= 64);
    CHECK_EQUAL(longest_of_first_use(slot_kind::chat), int64_t{gpu_pace::SHORT_ROWS});
}

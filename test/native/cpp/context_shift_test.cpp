// The context shift when the context is full, and the keys of a prompt.
#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include "engine/debug/key_inspection.h"

#include "ggml.h"
#include "llama.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace inkling;
using inkling_test::error_code_of;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::seq_of;
using inkling_test::slot_options;
using inkling_test::tiny_model;

namespace {

constexpr int32_t CONTEXT = 128;

std::unique_ptr<slot> attention_slot(int32_t context_length = CONTEXT) {
    slot_options options;
    options.context_length = context_length;
    options.batch_size     = 32;
    options.model          = tiny_model("qwen2");
    return make_slot(options);
}

std::vector<token_id> some_tokens(int32_t count) {
    std::vector<token_id> tokens;
    for (int32_t i = 0; i < count; ++i) {
        tokens.push_back(300 + (i * 7919) % 15000);
    }
    return tokens;
}

generation_request request_of(const std::vector<token_id> & tokens, int32_t max_tokens, context_policy policy) {
    generation_request request;
    for (const token_id token : tokens) {
        request.prompt.emplace_back(token);
    }
    request.boundaries           = {8};
    request.max_tokens           = max_tokens;
    request.when_context_full    = policy;
    // Without sampling, the tiny model would end by itself.
    request.sampling.temperature = 1.5f;
    request.sampling.seed        = 7;
    return request;
}

// Keys of the first layer by position, read from the cache's serialised state: a second way to see them. Works only for
// a model whose cells hold nothing but a position.
std::vector<std::vector<float>> first_layer_of_state(const context & ctx) {
    const state_copy state = ctx.save_state();
    const uint8_t *  at    = state.data();
    const auto       read  = [&](auto value) {
        std::memcpy(&value, at, sizeof(value));
        at += sizeof(value);
        return value;
    };
    at += sizeof(uint32_t) + sizeof(llama_seq_id); // magic, sequence
    CHECK_EQUAL(read(uint32_t{}), 1u);             // streams
    const auto             cells = read(uint32_t{});
    std::vector<llama_pos> positions;
    for (uint32_t i = 0; i < cells; ++i) {
        positions.push_back(read(llama_pos{}));
        at += read(uint32_t{}) * sizeof(llama_seq_id);
    }
    at += 2 * sizeof(uint32_t); // whether values are transposed, layers
    CHECK_EQUAL(read(int32_t{}), static_cast<int32_t>(GGML_TYPE_F16));
    const auto                      row = read(uint64_t{});
    std::vector<std::vector<float>> keys(cells);
    for (const llama_pos position : positions) {
        auto & key = keys.at(static_cast<size_t>(position));
        key.resize(row / sizeof(ggml_fp16_t));
        std::vector<ggml_fp16_t> halves(key.size());
        std::memcpy(halves.data(), at, row);
        ggml_fp16_to_fp32_row(halves.data(), key.data(), static_cast<int64_t>(key.size()));
        at += row;
    }
    return keys;
}

// The keys of all heads, side by side, in the order of the state.
std::vector<float> key_at(const key_vectors & keys, size_t layer, int32_t token) {
    std::vector<float> result;
    for (int32_t head = 0; head < keys.heads; ++head) {
        const size_t row =
            (layer * static_cast<size_t>(keys.heads) + static_cast<size_t>(head)) * static_cast<size_t>(keys.tokens) +
            static_cast<size_t>(token);
        const auto start = keys.values.begin() + static_cast<std::ptrdiff_t>(row * static_cast<size_t>(keys.head_dim));
        result.insert(result.end(), start, start + keys.head_dim);
    }
    return result;
}

float largest_difference(const std::vector<float> & left, const std::vector<float> & right) {
    float largest = left.size() == right.size() ? 0.0f : INFINITY;
    for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        largest = std::max(largest, std::abs(left[i] - right[i]));
    }
    return largest;
}

float largest(const std::vector<float> & values) {
    return largest_difference(values, std::vector<float>(values.size(), 0.0f));
}

} // namespace

TEST("without shifting, a full context ends the generation") {
    const auto on     = attention_slot();
    const auto result = run_on(*on, request_of(some_tokens(40), 500, context_policy::stop));
    CHECK_EQUAL(std::string(to_string(result.reason)), "contextFull");
    CHECK_EQUAL(static_cast<int32_t>(result.tokens.size()), CONTEXT - 40 + 1);
    CHECK_EQUAL(result.metrics.shifted_tokens, 0);
}

TEST("shifting continues as often as needed and reports what it forgot") {
    constexpr int32_t SHORT   = 64;
    const auto        on      = attention_slot(SHORT);
    const auto        prompt  = some_tokens(24);
    const auto        stopped = run_on(*on, request_of(prompt, 140, context_policy::stop));
    on->forget();
    const auto shifted = run_on(*on, request_of(prompt, 140, context_policy::shift));
    CHECK_EQUAL(std::string(to_string(stopped.reason)), "contextFull");
    CHECK_EQUAL(std::string(to_string(shifted.reason)), "maxTokens");
    CHECK_EQUAL(shifted.tokens.size(), 140u);
    // Each of the four shifts drops half of what follows the start.
    CHECK_EQUAL(shifted.metrics.shifted_tokens, 4 * (SHORT - 8) / 2);
    CHECK(on->seq().length() <= SHORT);
    // Both answers are the same until the context is full.
    CHECK(std::equal(stopped.tokens.begin(), stopped.tokens.end(), shifted.tokens.begin()));
    CHECK(std::equal(prompt.begin(), prompt.begin() + 8, on->seq().tokens().begin()));
}

TEST("the slot never reuses a shifted state, and a later request answers as on a fresh slot") {
    const auto on = attention_slot();
    run_on(*on, request_of(some_tokens(40), 200, context_policy::shift));
    CHECK(on->seq().shifted());
    const std::vector<token_id> held(on->seq().tokens().begin(), on->seq().tokens().end());

    std::vector<token_id> longer = held;
    longer.resize(std::min<size_t>(held.size(), CONTEXT - 20));
    const auto request  = request_of(longer, 12, context_policy::stop);
    const auto again    = run_on(*on, request);
    const auto fresh_on = attention_slot();
    const auto fresh    = run_on(*fresh_on, request);
    CHECK_EQUAL(again.metrics.reused_tokens, 0);
    CHECK_SAME_ANSWER(again, fresh);
    CHECK(!on->seq().shifted());
}

TEST("a recurrent model ends at a full context, whatever the request asks for") {
    const auto on     = make_slot(CONTEXT, 32);
    const auto result = run_on(*on, request_of(some_tokens(40), 500, context_policy::shift));
    CHECK(result.reason == stop_reason::context_full || result.reason == stop_reason::end_of_text);
    CHECK_EQUAL(result.metrics.shifted_tokens, 0);
}

TEST("after a shift, each token has the key of its new position") {
    const auto on     = attention_slot();
    const auto tokens = some_tokens(CONTEXT);
    for (int32_t i = 0; i < CONTEXT; i += 32) {
        seq_of(*on).append(tokens.data() + i, 32, logit_rows::none);
    }
    seq_of(*on).shift(8, 60);
    const token_id next = 4242;
    // The backend changes the positions at the next evaluation.
    seq_of(*on).append(&next, 1, logit_rows::last);
    const std::vector<token_id> held(on->seq().tokens().begin(), on->seq().tokens().end());
    CHECK_EQUAL(held.size(), CONTEXT - 60 + 1u);

    // The first layer sees only the token and its position, so a fresh evaluation gives the same keys.
    const abort_flag  abort;
    const key_vectors fresh = inspect_keys(tiny_model("qwen2"), held, 32, abort);
    const auto        found = first_layer_of_state(on->ctx());
    // A GPU rounds products of 32 rows differently from those of fewer rows.
    const float       share = inkling_test::bit_exact() ? 0.004f : 0.012f;
    for (int32_t i = 0; i < static_cast<int32_t>(held.size()); ++i) {
        const auto expected = key_at(fresh, 0, i);
        CHECK(largest_difference(found[static_cast<size_t>(i)], expected) < share * largest(expected));
    }
}

TEST("the keys of a prompt are those in its cache") {
    const auto on     = attention_slot();
    const auto tokens = some_tokens(32);
    seq_of(*on).append(tokens.data(), 32, logit_rows::none);
    const abort_flag  abort;
    const key_vectors keys  = inspect_keys(tiny_model("qwen2"), tokens, 32, abort);
    const auto        found = first_layer_of_state(on->ctx());
    CHECK_EQUAL(keys.tokens, 32);
    CHECK_EQUAL(keys.layers.size(), static_cast<size_t>(on->loaded_model().facts().layer_count));
    CHECK_EQUAL(keys.values.size(),
                keys.layers.size() * static_cast<size_t>(keys.heads) * 32 * static_cast<size_t>(keys.head_dim));
    for (int32_t i = 0; i < 32; ++i) {
        // Half-precision numbers have eleven significant bits.
        const auto expected = key_at(keys, 0, i);
        CHECK(largest_difference(found[static_cast<size_t>(i)], expected) <= largest(expected) / 2048);
    }
}

TEST("keys do not depend on the batches of the prompt, on each architecture with attention") {
    const auto       tokens = some_tokens(24);
    const abort_flag abort;
    for (const std::string & architecture : inkling_test::tiny_architectures()) {
        const auto loaded = tiny_model(architecture, "f32");
        if (architecture == "mamba2") {
            CHECK_EQUAL(error_code_of([&] { inspect_keys(loaded, tokens, 8, abort); }), "unsupportedModel");
            continue;
        }
        const key_vectors whole  = inspect_keys(loaded, tokens, 24, abort);
        const key_vectors single = inspect_keys(loaded, tokens, 1, abort);
        CHECK(whole.layers == single.layers && !whole.layers.empty());
        CHECK(std::is_sorted(whole.layers.begin(), whole.layers.end()));
        if (largest_difference(whole.values, single.values) > 0.01f * largest(whole.values)) {
            inkling_test::fail(__FILE__, __LINE__,
                               architecture + ": keys differ by " +
                                   std::to_string(largest_difference(whole.values, single.values)));
        }
    }
}

TEST("the first token is never forgotten, also where a section begins with it") {
    const auto prompt  = some_tokens(100);
    auto       request = request_of(prompt, 120, context_policy::shift);
    request.boundaries = {0, 8};
    const auto on      = attention_slot();
    const auto result  = run_on(*on, request);
    CHECK(result.metrics.shifted_tokens > 0);
    CHECK_EQUAL(on->seq().tokens().front(), prompt.front());
}

TEST("inspect_keys refuses a token that the model does not have, and gives no keys after an abort") {
    abort_flag abort;
    CHECK_EQUAL(error_code_of([&] { inspect_keys(tiny_model("qwen2"), {1 << 30}, 8, abort); }), "invalidArgument");
    abort.set();
    CHECK(inspect_keys(tiny_model("qwen2"), some_tokens(8), 8, abort).layers.empty());
}

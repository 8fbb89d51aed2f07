// The kernel of attention: right, and equal to the bit for each number of tokens.
#include "attention.h"
#include "check.h"
#include "graph_memory.h"

#include "ggml-cpu.h"
#include "ggml.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int64_t HEADS     = 4;
constexpr int64_t KEY_HEADS = 2;

struct shape {
    int64_t key_length;
    int64_t value_length;
    int64_t keys;
    int64_t tokens;
};

// Values that half precision has exactly.
std::vector<float> random_halves(std::mt19937 & random, int64_t count) {
    std::normal_distribution<float> normal;
    std::vector<float>              values(static_cast<size_t>(count));
    for (float & value : values) {
        value = ggml_fp16_to_fp32(ggml_fp32_to_fp16(normal(random)));
    }
    return values;
}

// One sequence. Queries: by token, then by head. Keys and values: by position, then by head, as a cache has them.
struct inputs {
    shape              of;
    std::vector<float> queries;
    std::vector<float> keys;
    std::vector<float> values;
    // By token, then by position: whether it is seen.
    std::vector<bool>  seen;
};

// Each token sees what stands before it, but for a gap and what lies after the last one.
inputs make_inputs(std::mt19937 & random, const shape & of) {
    inputs made{of,
                random_halves(random, of.tokens * HEADS * of.key_length),
                random_halves(random, of.keys * KEY_HEADS * of.key_length),
                random_halves(random, of.keys * KEY_HEADS * of.value_length),
                {}};
    for (int64_t token = 0; token < of.tokens; ++token) {
        const int64_t last = std::max<int64_t>(0, of.keys - of.keys / 5 - of.tokens + token);
        for (int64_t key = 0; key < of.keys; ++key) {
            made.seen.push_back(key <= last && (key < of.keys / 3 || key > of.keys / 2 || key == 0));
        }
    }
    return made;
}

inputs one_token(const inputs & all, int64_t token) {
    inputs     one   = all;
    const auto width = HEADS * all.of.key_length;
    one.of.tokens    = 1;
    one.queries.assign(all.queries.begin() + token * width, all.queries.begin() + (token + 1) * width);
    one.seen.assign(all.seen.begin() + token * all.of.keys, all.seen.begin() + (token + 1) * all.of.keys);
    return one;
}

ggml_tensor * halves(ggml_context * context, const std::vector<float> & values, int64_t width, int64_t height,
                     int64_t depth) {
    ggml_tensor * made = ggml_new_tensor_3d(context, GGML_TYPE_F16, width, height, depth);
    ggml_fp32_to_fp16_row(values.data(), static_cast<ggml_fp16_t *>(made->data), ggml_nelements(made));
    return made;
}

// By token, then by head; nothing if there is no kernel here for it.
std::optional<std::vector<float>> attend(const inputs & from, int threads, bool masked = true) {
    const shape &  of      = from.of;
    auto &         memory  = inkling_test::graph_memory(4 << 20);
    ggml_context * context = ggml_init({memory.size(), memory.data(), false});
    ggml_tensor *  queries = ggml_new_tensor_3d(context, GGML_TYPE_F32, of.key_length, HEADS, of.tokens);
    std::memcpy(queries->data, from.queries.data(), from.queries.size() * sizeof(float));
    ggml_tensor * keys   = halves(context, from.keys, of.key_length, KEY_HEADS, of.keys);
    ggml_tensor * values = halves(context, from.values, of.value_length, KEY_HEADS, of.keys);
    ggml_tensor * mask   = masked ? ggml_new_tensor_2d(context, GGML_TYPE_F16, of.keys, of.tokens) : nullptr;
    for (size_t i = 0; masked && i < from.seen.size(); ++i) {
        const float value                         = from.seen[i] ? 0.0F : -std::numeric_limits<float>::infinity();
        static_cast<ggml_fp16_t *>(mask->data)[i] = ggml_fp32_to_fp16(value);
    }
    const auto by_head = [context](ggml_tensor * tensor) {
        return ggml_permute(context, tensor, 0, 2, 1, 3);
    };
    const float   scale = 1.0F / std::sqrt(static_cast<float>(of.key_length));
    ggml_tensor * out =
        ggml_flash_attn_ext(context, by_head(queries), by_head(keys), by_head(values), mask, scale, 0.0F, 0.0F);
    ggml_flash_attn_ext_set_prec(out, GGML_PREC_F32);
    std::optional<std::vector<float>> result;
    if (inkling_attention_fits(out)) {
        ggml_cgraph * graph = ggml_new_graph(context);
        ggml_build_forward_expand(graph, out);
        ggml_graph_compute_with_ctx(context, graph, threads);
        const auto * first = static_cast<const float *>(out->data);
        result             = std::vector<float>(first, first + ggml_nelements(out));
    }
    ggml_free(context);
    return result;
}

std::vector<double> reference(const inputs & from) {
    const auto [key_length, value_length, keys, tokens] = from.of;
    std::vector<double> out;
    for (int64_t row = 0; row < tokens * HEADS; ++row) {
        const int64_t       head = row % HEADS / (HEADS / KEY_HEADS);
        std::vector<double> sums(static_cast<size_t>(value_length));
        double              total = 0;
        for (int64_t key = 0; key < keys; ++key) {
            if (!from.seen[static_cast<size_t>(row / HEADS * keys + key)]) {
                continue;
            }
            double score = 0;
            for (int64_t d = 0; d < key_length; ++d) {
                score += static_cast<double>(from.queries[static_cast<size_t>(row * key_length + d)]) *
                         from.keys[static_cast<size_t>((key * KEY_HEADS + head) * key_length + d)];
            }
            const double weight = std::exp(score / std::sqrt(static_cast<double>(key_length)));
            total += weight;
            for (int64_t d = 0; d < value_length; ++d) {
                const auto at = static_cast<size_t>((key * KEY_HEADS + head) * value_length + d);
                sums[static_cast<size_t>(d)] += weight * from.values[at];
            }
        }
        for (const double sum : sums) {
            out.push_back(total == 0 ? 0 : sum / total);
        }
    }
    return out;
}

std::string described(const shape & of) {
    return std::to_string(of.tokens) + " tokens, " + std::to_string(of.keys) + " keys of " +
           std::to_string(of.key_length);
}

const std::vector<std::pair<int64_t, int64_t>> LENGTHS = {{16, 16}, {64, 64}, {80, 48}, {128, 128}, {256, 256}};

} // namespace

TEST("attention over many tokens is what its definition says, and equals that of each token alone to the bit") {
    ggml_cpu_init();
    std::mt19937 random(20261124);
    for (const auto & [key_length, value_length] : LENGTHS) {
        for (const int64_t keys : {1, 64, 65, 200}) {
            for (const int64_t tokens : {1, 3, 37}) {
                const shape  of    = {key_length, value_length, keys, tokens};
                const inputs asked = make_inputs(random, of);
                const auto   got   = attend(asked, 1);
                if (!got) {
                    return;
                }
                const auto expected = reference(asked);
                double     worst    = 0;
                for (size_t i = 0; i < expected.size(); ++i) {
                    worst = std::max(worst, std::abs((*got)[i] - expected[i]));
                }
                if (!(worst < 1e-5)) {
                    inkling_test::fail(__FILE__, __LINE__, described(of) + ": wrong by " + std::to_string(worst));
                }
                std::vector<float> alone;
                for (int64_t token = 0; token < tokens; ++token) {
                    const auto row = attend(one_token(asked, token), 1);
                    alone.insert(alone.end(), row->begin(), row->end());
                }
                const size_t bytes = alone.size() * sizeof(float);
                if (std::memcmp(alone.data(), got->data(), bytes) != 0 ||
                    std::memcmp(attend(asked, 3)->data(), got->data(), bytes) != 0) {
                    inkling_test::fail(__FILE__, __LINE__, described(of) + " differ");
                }
            }
        }
    }
}

TEST("keys that nobody sees change no bit, and a query that sees none gives zeros") {
    std::mt19937 random(20261125);
    const inputs few  = make_inputs(random, {64, 64, 100, 9});
    inputs       more = few;
    more.of.keys      = 256;
    for (std::vector<float> * padded : {&more.keys, &more.values}) {
        const auto added = random_halves(random, (256 - 100) * KEY_HEADS * 64);
        padded->insert(padded->end(), added.begin(), added.end());
    }
    more.seen.clear();
    for (int64_t token = 0; token < 9; ++token) {
        for (int64_t key = 0; key < 256; ++key) {
            more.seen.push_back(key < 100 && few.seen[static_cast<size_t>(token * 100 + key)]);
        }
    }
    const auto expected = attend(few, 1);
    if (!expected) {
        return;
    }
    CHECK(*attend(more, 1) == *expected);
    // The fourth token sees nothing any more; the others are as they were.
    std::fill(more.seen.begin() + 3 * 256, more.seen.begin() + 4 * 256, false);
    const auto blind = attend(more, 1);
    const auto width = static_cast<size_t>(HEADS * 64);
    for (size_t i = 0; i < blind->size(); ++i) {
        CHECK_EQUAL((*blind)[i], i / width == 3 ? 0.0F : (*expected)[i]);
    }
}

TEST("without a mask every key is seen") {
    std::mt19937 random(20261126);
    inputs       asked = make_inputs(random, {64, 64, 77, 3});
    std::fill(asked.seen.begin(), asked.seen.end(), true);
    const auto expected = attend(asked, 1);
    if (expected) {
        CHECK(*attend(asked, 1, /*masked =*/false) == *expected);
    }
}

TEST("a query or a key that is not a number does not pass for one") {
    std::mt19937 random(20261127);
    const inputs healthy = make_inputs(random, {64, 64, 70, 5});
    for (const bool in_query : {true, false}) {
        inputs spoiled                                 = healthy;
        // Of the first head; the first key is seen by all tokens.
        (in_query ? spoiled.queries : spoiled.keys)[5] = std::numeric_limits<float>::quiet_NaN();
        const auto got                                 = attend(spoiled, 1);
        if (!got) {
            return;
        }
        CHECK(std::isnan((*got)[0]));
    }
}

TEST("what stands in cells behind the last one that is seen need not be numbers") {
    std::mt19937 random(20261130);
    for (const int64_t last : {64, 65, 66, 67, 100}) {
        inputs healthy = make_inputs(random, {64, 64, 128, 5});
        for (int64_t token = 0; token < 5; ++token) {
            for (int64_t key = 0; key < 128; ++key) {
                healthy.seen[static_cast<size_t>(token * 128 + key)] = key <= last - 4 + token;
            }
        }
        inputs spoiled = healthy;
        for (std::vector<float> * values : {&spoiled.keys, &spoiled.values}) {
            std::fill(values->begin() + (last + 1) * KEY_HEADS * 64, values->end(),
                      std::numeric_limits<float>::quiet_NaN());
        }
        const auto expected = attend(healthy, 1);
        if (!expected) {
            return;
        }
        CHECK(*attend(spoiled, 1) == *expected);
    }
}

TEST("the largest scores overflow nothing") {
    std::mt19937 random(20261128);
    inputs       asked = make_inputs(random, {64, 64, 130, 5});
    for (float & value : asked.queries) {
        value *= 1'000.0F;
    }
    const auto got = attend(asked, 1);
    if (!got) {
        return;
    }
    const auto expected = reference(asked);
    double     worst    = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        // One weight is all there is, which a double has as well: its scores stay below its largest exponent.
        worst = std::max(worst, std::isfinite(expected[i]) ? std::abs((*got)[i] - expected[i]) : 0.0);
        CHECK(std::isfinite((*got)[i]));
    }
    CHECK(worst < 0.05);
}

TEST("processors of x86-64 have this kernel, for the lengths that models have") {
#if defined(__AVX2__)
    std::mt19937 random(20261129);
    for (const auto & [key_length, value_length] : LENGTHS) {
        CHECK(attend(make_inputs(random, {key_length, value_length, 8, 2}), 1).has_value());
    }
#endif
}

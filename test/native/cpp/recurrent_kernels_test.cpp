// The kernels of recurrent layers: equal to the bit for each number of tokens, and right.
#include "check.h"
#include "delta_rule.h"
#include "graph_memory.h"
#include "short_convolution.h"

#include "ggml-cpu.h"
#include "ggml.h"

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

std::vector<float> random_values(std::mt19937 & random, size_t count) {
    std::normal_distribution<float> normal;
    std::vector<float>              values(count);
    for (float & value : values) {
        value = normal(random);
    }
    return values;
}

// Tokens of a convolution as a graph computes them. Input: channels times tokens and what is before them.
std::vector<float> convolve(const std::vector<float> & input, const std::vector<float> & weights, int64_t taps,
                            int64_t channels, int64_t tokens, int threads) {
    auto &         memory  = inkling_test::graph_memory(4 << 20);
    ggml_context * context = ggml_init({memory.size(), memory.data(), false});
    ggml_tensor *  left    = ggml_new_tensor_3d(context, GGML_TYPE_F32, tokens + taps - 1, channels, 1);
    ggml_tensor *  right   = ggml_new_tensor_2d(context, GGML_TYPE_F32, taps, channels);
    std::memcpy(left->data, input.data(), input.size() * sizeof(float));
    std::memcpy(right->data, weights.data(), weights.size() * sizeof(float));
    ggml_cgraph * graph = ggml_new_graph(context);
    ggml_tensor * out   = ggml_ssm_conv(context, left, right);
    ggml_build_forward_expand(graph, out);
    ggml_graph_compute_with_ctx(context, graph, threads);
    const auto *       values = static_cast<const float *>(out->data);
    std::vector<float> result(values, values + channels * tokens);
    ggml_free(context);
    return result;
}

} // namespace

TEST("a convolution over many tokens equals that of each token alone to the bit") {
    ggml_cpu_init();
    std::mt19937 random(20261123);
    for (const int64_t taps : {2, 4, 5}) {
        for (const int64_t channels : {3, 16, 37, 80}) {
            const auto weights = random_values(random, taps * channels);
            for (const int64_t tokens : {1, 7, 8, 9, 40, 61}) {
                const int64_t      width = tokens + taps - 1;
                const auto         input = random_values(random, width * channels);
                std::vector<float> expected;
                for (int64_t token = 0; token < tokens; ++token) {
                    std::vector<float> window;
                    for (int64_t channel = 0; channel < channels; ++channel) {
                        const auto first = input.begin() + channel * width + token;
                        window.insert(window.end(), first, first + taps);
                    }
                    const auto one = convolve(window, weights, taps, channels, 1, 1);
                    expected.insert(expected.end(), one.begin(), one.end());
                }
                for (const int threads : {1, 3}) {
                    const auto got = convolve(input, weights, taps, channels, tokens, threads);
                    if (std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)) != 0) {
                        inkling_test::fail(__FILE__, __LINE__,
                                           std::to_string(tokens) + " tokens of " + std::to_string(channels) +
                                               " channels differ");
                    }
                }
            }
        }
    }
}

TEST("rows are put behind rows, transposed or not, whatever the number of threads") {
    std::mt19937 random(20261125);
    for (const bool transposed : {true, false}) {
        for (const int64_t rows : {1, 15, 33}) {
            for (const int64_t width : {1, 8, 70}) {
                constexpr int64_t LEFT     = 3;
                constexpr int64_t MATRICES = 2;
                const auto        left     = random_values(random, LEFT * rows * MATRICES);
                const auto        right    = random_values(random, width * rows * MATRICES);
                for (const int threads : {1, 3, 40}) {
                    auto &         memory  = inkling_test::graph_memory(4 << 20);
                    ggml_context * context = ggml_init({memory.size(), memory.data(), false});
                    ggml_tensor *  before  = ggml_new_tensor_3d(context, GGML_TYPE_F32, LEFT, rows, MATRICES);
                    ggml_tensor *  behind  = ggml_new_tensor_3d(context, GGML_TYPE_F32, transposed ? rows : width,
                                                              transposed ? width : rows, MATRICES);
                    std::memcpy(before->data, left.data(), left.size() * sizeof(float));
                    std::memcpy(behind->data, right.data(), right.size() * sizeof(float));
                    ggml_tensor * out =
                        ggml_concat(context, before, transposed ? ggml_transpose(context, behind) : behind, 0);
                    ggml_cgraph * graph = ggml_new_graph(context);
                    ggml_build_forward_expand(graph, out);
                    ggml_graph_compute_with_ctx(context, graph, threads);
                    bool          same   = true;
                    const float * values = static_cast<const float *>(out->data);
                    for (int64_t i = 0; i < (LEFT + width) * rows * MATRICES; ++i) {
                        const int64_t column   = i % (LEFT + width);
                        const int64_t row      = i / (LEFT + width) % rows;
                        const int64_t matrix   = i / (LEFT + width) / rows;
                        const int64_t at       = column - LEFT;
                        const int64_t in_right = transposed ? at * rows + row : row * width + at;
                        const float   expected = column < LEFT ? left[(matrix * rows + row) * LEFT + column]
                                                               : right[matrix * rows * width + in_right];
                        same                   = same && values[i] == expected;
                    }
                    CHECK(same);
                    ggml_free(context);
                }
            }
        }
    }
}

TEST("the gated delta rule is what its definition says") {
    std::mt19937 random(20261124);
    for (const int64_t n : {32, 64, 128}) {
        auto                state = random_values(random, n * n);
        std::vector<double> reference(state.begin(), state.end());
        for (int token = 0; token < 5; ++token) {
            const auto               query = random_values(random, n);
            const auto               key   = random_values(random, n);
            const auto               value = random_values(random, n);
            const float              decay = 0.9F;
            const float              beta  = 0.01F;
            const float              scale = 0.125F;
            std::vector<float>       out(n);
            const inkling_delta_rule rule{n,          state.data(), decay, beta,      query.data(),
                                          key.data(), value.data(), scale, out.data()};
            if (!inkling_apply_delta_rule(&rule)) {
                return;
            }
            double worst = 0;
            for (int64_t j = 0; j < n; ++j) {
                double * const row   = reference.data() + j * n;
                double         found = 0;
                for (int64_t i = 0; i < n; ++i) {
                    row[i] *= decay;
                    found += row[i] * key[i];
                }
                double said = 0;
                for (int64_t i = 0; i < n; ++i) {
                    row[i] += (value[j] - found) * beta * key[i];
                    said += row[i] * query[i];
                }
                worst = std::max(worst, std::abs(said * scale - out[j]));
            }
            CHECK(worst < 1e-4);
        }
        for (size_t i = 0; i < state.size(); ++i) {
            CHECK(std::abs(reference[i] - state[i]) < 1e-4);
        }
    }
}

TEST("processors of x86-64 have these kernels, for the sizes that models have") {
    std::vector<float>       state(128 * 128);
    std::vector<float>       row(128);
    const inkling_delta_rule odd{48, state.data(), 1, 1, row.data(), row.data(), row.data(), 1, row.data()};
    CHECK(!inkling_apply_delta_rule(&odd));
#if defined(__x86_64__)
    std::vector<float>       out(128);
    const inkling_delta_rule rule{128, state.data(), 1, 1, row.data(), row.data(), row.data(), 1, out.data()};
    CHECK(inkling_apply_delta_rule(&rule));
    const inkling_short_convolution convolution{row.data(), 32, row.data(), 1, out.data(), 4, 1, 8};
    CHECK(inkling_convolve(&convolution));
#endif
}

// Our products with rows of activations equal ggml's own one-row products to the last bit, and so do the activations.
#include "check.h"
#include "graph_memory.h"
#include "interleaved_q8_0.h"
#include "quantize_q8_K.h"
#include "row_products.h"

#include "ggml-cpu.h"
#include "ggml.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" {
// From ggml-quants.h.
void quantize_row_q8_K_ref(const float * values, void * out, int64_t n);
// From ggml-cpu/repack.h, which cannot be included together with the public headers.
void ggml_gemv_q4_K_8x8_q8_K(int n, float * out, size_t stride, const void * weights, const void * activations,
                             int n_rows, int n_columns);
}

namespace {

constexpr int MOST_ROWS = INKLING_FEW_ROWS;
// Of a prompt: whole groups of eight and a rest.
constexpr int MANY_ROWS = 5 * INKLING_FEW_ROWS + 3;

constexpr int64_t NUMBERS_OF_ROWS[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, MANY_ROWS};

std::vector<float> random_values(std::mt19937 & random, size_t count) {
    // Activations vary widely in size, and so do these values: a different rounding shows.
    std::normal_distribution<float> normal;
    std::vector<float>              values(count);
    for (float & value : values) {
        value = normal(random) * normal(random) * 3.0F;
    }
    return values;
}

std::vector<uint8_t> quantize(ggml_type type, const std::vector<float> & values, int64_t row_length) {
    const auto           rows = static_cast<int64_t>(values.size()) / row_length;
    std::vector<uint8_t> bytes(static_cast<size_t>(rows) * ggml_row_size(type, row_length));
    ggml_quantize_chunk(type, values.data(), bytes.data(), 0, rows, row_length, nullptr);
    return bytes;
}

std::vector<uint8_t> activations_for(ggml_type weights, const std::vector<float> & values, int64_t row_length) {
    const auto *         traits  = ggml_get_type_traits_cpu(weights);
    const auto *         rows_of = ggml_get_type_traits_cpu(traits->vec_dot_type);
    const size_t         size    = ggml_row_size(traits->vec_dot_type, row_length);
    const auto           n_rows  = static_cast<int64_t>(values.size()) / row_length;
    std::vector<uint8_t> bytes(n_rows * size);
    for (int64_t row = 0; row < n_rows; ++row) {
        rows_of->from_float(values.data() + row * row_length, bytes.data() + row * size, row_length);
    }
    return bytes;
}

void check_same(const std::vector<float> & expected, const std::vector<float> & got, const std::string & what) {
    if (std::memcmp(expected.data(), got.data(), expected.size() * sizeof(float)) != 0) {
        inkling_test::fail(__FILE__, __LINE__, what + ": differs from one row at a time");
    }
}

// The bytes of eight rows of Q4_K as ggml interleaves them: scales and quants of the eight side by side. The values do
// not matter, as both kernels read the same bytes. The scales must be numbers.
std::vector<uint8_t> interleaved_q4_K(std::mt19937 & random, int64_t groups, int64_t blocks) {
    constexpr size_t     halves = 16;
    constexpr size_t     size   = halves * sizeof(ggml_fp16_t) + 96 + 1024;
    std::vector<uint8_t> bytes(static_cast<size_t>(groups * blocks) * size);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<uint8_t>(random()); });
    for (size_t block = 0; block < bytes.size(); block += size) {
        for (size_t i = 0; i < halves; ++i) {
            const ggml_fp16_t half = ggml_fp32_to_fp16(0.0007F * static_cast<float>(random() % 997));
            std::memcpy(bytes.data() + block + i * sizeof(half), &half, sizeof(half));
        }
    }
    return bytes;
}

// A product as a graph computes it, by whatever path ggml takes for this type and number of rows.
std::vector<float> graph_product(ggml_type type, const std::vector<uint8_t> & weights, const float * rows,
                                 int64_t length, int64_t n_rows) {
    const int64_t  n_weights = static_cast<int64_t>(weights.size() / ggml_row_size(type, length));
    auto &         memory    = inkling_test::graph_memory(weights.size() + (4 << 20));
    ggml_context * context   = ggml_init({memory.size(), memory.data(), false});
    ggml_tensor *  left      = ggml_new_tensor_2d(context, type, length, n_weights);
    ggml_tensor *  right     = ggml_new_tensor_2d(context, GGML_TYPE_F32, length, n_rows);
    std::memcpy(left->data, weights.data(), weights.size());
    std::memcpy(right->data, rows, static_cast<size_t>(length * n_rows) * sizeof(float));
    ggml_cgraph * graph   = ggml_new_graph(context);
    ggml_tensor * product = ggml_mul_mat(context, left, right);
    ggml_build_forward_expand(graph, product);
    ggml_graph_compute_with_ctx(context, graph, 1);
    const auto *       values = static_cast<const float *>(product->data);
    std::vector<float> result(values, values + n_weights * n_rows);
    ggml_free(context);
    return result;
}

} // namespace

TEST("a graph's product with two to eight rows equals its one-row products to the bit, for each type of weights") {
    ggml_cpu_init();
    std::mt19937  random(20260731);
    const int64_t length = 512;
    for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16, GGML_TYPE_Q8_0, GGML_TYPE_Q4_0,
                                 GGML_TYPE_Q4_1, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1, GGML_TYPE_Q2_K, GGML_TYPE_Q3_K,
                                 GGML_TYPE_Q4_K, GGML_TYPE_Q5_K, GGML_TYPE_Q6_K, GGML_TYPE_IQ4_NL, GGML_TYPE_IQ4_XS}) {
        // As ggml has weights that it does not interleave, such as those of a shared embedding.
        const auto         weights = quantize(type, random_values(random, 36 * length), length);
        const auto         rows    = random_values(random, MOST_ROWS * length);
        std::vector<float> expected;
        for (int64_t n_rows = 1; n_rows <= MOST_ROWS; ++n_rows) {
            const auto one = graph_product(type, weights, rows.data() + (n_rows - 1) * length, length, 1);
            expected.insert(expected.end(), one.begin(), one.end());
            check_same(expected, graph_product(type, weights, rows.data(), length, n_rows),
                       std::string("a graph with ") + ggml_type_name(type) + ", " + std::to_string(n_rows) + " rows");
        }
    }
}

TEST("products of rows equal one-row products to the bit, for weights as stored in the file") {
    ggml_cpu_init();
    std::mt19937 random(20260729);
    for (const ggml_type type : {GGML_TYPE_Q8_0, GGML_TYPE_Q5_K, GGML_TYPE_Q6_K}) {
        for (const int64_t length : {256, 512, 2560, 51200}) {
            const int64_t n_weights   = 37;
            const auto    weights     = quantize(type, random_values(random, n_weights * length), length);
            const auto    activations = activations_for(type, random_values(random, MANY_ROWS * length), length);
            const auto *  traits      = ggml_get_type_traits_cpu(type);
            const size_t  row         = ggml_row_size(type, length);
            const size_t  values      = ggml_row_size(traits->vec_dot_type, length);
            // Long rows of 37 weights are more than one tile.
            for (const int64_t n_rows : NUMBERS_OF_ROWS) {
                // The rows are wider than needed, so that a wrong stride shows.
                const int64_t      width = n_weights + 3;
                std::vector<float> expected(n_rows * width, -1.0F);
                std::vector<float> got(n_rows * width, -1.0F);
                for (int64_t r = 0; r < n_rows; ++r) {
                    for (int64_t w = 0; w < n_weights; ++w) {
                        traits->vec_dot(static_cast<int>(length), &expected[r * width + w], 0, weights.data() + w * row,
                                        0, activations.data() + r * values, 0, 1);
                    }
                }
                const inkling_row_product product{length, got.data(), width * sizeof(float), weights.data(),
                                                  row,    n_weights,  activations.data(),    values,
                                                  n_rows};
                if (!inkling_multiply_rows(type, &product)) {
                    continue;
                }
                check_same(expected, got,
                           std::string(ggml_type_name(type)) + ", " + std::to_string(n_rows) + " rows of " +
                               std::to_string(length));
            }
        }
    }
}

TEST("products of rows equal one-row products to the bit, for interleaved Q4_K") {
    ggml_cpu_init();
    std::mt19937 random(20260730);
    for (const int64_t length : {256, 512, 2560, 51200}) {
        const int64_t groups      = 5;
        const int64_t n_weights   = groups * 8;
        const auto    weights     = interleaved_q4_K(random, groups, length / 256);
        const auto    activations = activations_for(GGML_TYPE_Q4_K, random_values(random, MANY_ROWS * length), length);
        const size_t  values      = activations.size() / MANY_ROWS;
        const size_t  row         = weights.size() / n_weights;
        for (const int64_t n_rows : NUMBERS_OF_ROWS) {
            const int64_t             width = n_weights + 8;
            std::vector<float>        expected(n_rows * width, -1.0F);
            std::vector<float>        got(n_rows * width, -1.0F);
            const inkling_row_product product{length, got.data(), width * sizeof(float), weights.data(),
                                              row,    n_weights,  activations.data(),    values,
                                              n_rows};
            if (!inkling_multiply_q4_K_8x8(&product)) {
                continue;
            }
            for (int r = 0; r < n_rows; ++r) {
                ggml_gemv_q4_K_8x8_q8_K(static_cast<int>(length), expected.data() + r * width, width, weights.data(),
                                        activations.data() + r * values, 1, static_cast<int>(n_weights));
            }
            check_same(expected, got, "q4_K, " + std::to_string(n_rows) + " rows of " + std::to_string(length));
        }
    }
}

TEST("interleaved Q8_0 gives each row the same bits, however many there are, and the sum of the products") {
    if (!inkling_interleaves_q8_0()) {
        return;
    }
    ggml_cpu_init();
    std::mt19937 random(20261129);
    for (const int64_t length : {32, 96, 512, 2560}) {
        const int64_t n_weights = int64_t{3} * INKLING_COLUMNS;
        auto          values    = random_values(random, MANY_ROWS * length);
        // Nothing, and values without a scale that is a number of half precision.
        std::fill_n(values.begin(), length, 0.0F);
        std::fill_n(values.begin() + length, length, 1e-40F);
        const auto           weights = quantize(GGML_TYPE_Q8_0, random_values(random, n_weights * length), length);
        const size_t         row     = ggml_row_size(GGML_TYPE_Q8_0, length);
        const size_t         of_row  = inkling_q8_0_activation_bytes(length);
        std::vector<uint8_t> groups(weights.size());
        std::vector<uint8_t> activations(MANY_ROWS * of_row);
        inkling_interleave_q8_0(groups.data(), weights.data(), length, n_weights);
        for (int64_t r = 0; r < MANY_ROWS; ++r) {
            inkling_q8_0_activations(values.data() + r * length, activations.data() + r * of_row, length);
        }
        const int64_t width   = n_weights + 3;
        const auto    product = [&](int64_t first, int64_t n_rows) {
            std::vector<float>        got(n_rows * width, -1.0F);
            const inkling_row_product asked{length,
                                            got.data(),
                                            width * sizeof(float),
                                            groups.data(),
                                            row,
                                            n_weights,
                                            activations.data() + first * of_row,
                                            of_row,
                                            n_rows};
            inkling_multiply_interleaved_q8_0(&asked);
            return got;
        };
        std::vector<float> expected;
        for (int64_t r = 0; r < MANY_ROWS; ++r) {
            const auto one = product(r, 1);
            expected.insert(expected.end(), one.begin(), one.end());
        }
        for (const int64_t n_rows : NUMBERS_OF_ROWS) {
            const std::vector<float> first(expected.begin(), expected.begin() + n_rows * width);
            check_same(first, product(0, n_rows),
                       "q8_0, " + std::to_string(n_rows) + " rows of " + std::to_string(length));
        }
        const auto   stored = activations_for(GGML_TYPE_Q8_0, values, length);
        const auto * traits = ggml_get_type_traits_cpu(GGML_TYPE_Q8_0);
        for (int64_t r = 0; r < MANY_ROWS; ++r) {
            for (int64_t w = 0; w < n_weights; ++w) {
                float of_ggml = 0;
                traits->vec_dot(static_cast<int>(length), &of_ggml, 0, weights.data() + w * row, 0,
                                stored.data() + r * row, 0, 1);
                // Only the order of the sums differs. Values are of about 3, so that a sum's parts are of about ten.
                CHECK(std::fabs(expected[r * width + w] - of_ggml) < 1e-5F * static_cast<float>(length));
            }
        }
    }
}

TEST("ggml computes what there is no kernel for") {
    const auto rows_of_no_weights = [](int64_t n_rows) {
        inkling_row_product product{};
        product.n             = 256;
        product.weight_stride = 256;
        product.n_rows        = n_rows;
        return product;
    };
    const auto                  none = rows_of_no_weights(0);
    const auto                  few  = rows_of_no_weights(INKLING_FEW_ROWS);
    [[maybe_unused]] const auto more = rows_of_no_weights(INKLING_FEW_ROWS + 1);
    CHECK(!inkling_multiply_rows(GGML_TYPE_F32, &few));
    CHECK(!inkling_multiply_rows(GGML_TYPE_Q8_0, &none));
    CHECK(!inkling_multiply_rows(GGML_TYPE_Q8_0, &more));
    CHECK(!inkling_multiply_rows(GGML_TYPE_Q5_K, &none));
    CHECK(!inkling_multiply_rows(GGML_TYPE_Q6_K, &none));
#if defined(__x86_64__)
    // x86-64 must have these kernels. No other test would show that they are unused.
    CHECK(inkling_multiply_rows(GGML_TYPE_Q8_0, &few));
    CHECK(inkling_multiply_rows(GGML_TYPE_Q5_K, &more));
    CHECK(inkling_multiply_rows(GGML_TYPE_Q6_K, &more));
    CHECK(inkling_multiplies_q4_K_8x8());
    CHECK(inkling_multiply_q4_K_8x8(&more));
#endif
}

TEST("activations are quantized as ggml does it, to the bit") {
    ggml_cpu_init();
    std::mt19937       random(20261123);
    constexpr int64_t  length = 256;
    constexpr int64_t  blocks = 64;
    std::vector<float> values = random_values(random, blocks * length);
    const auto         block  = [&](int64_t index) {
        return values.data() + index * length;
    };
    std::fill_n(block(1), length, 0.0F);
    // Two extremes: the first one decides the sign. Then values between two integers.
    std::fill_n(block(2), length, 1.5F);
    block(2)[100] = -127.0F;
    block(2)[200] = 127.0F;
    for (int64_t i = 0; i < length; ++i) {
        block(3)[i] = static_cast<float>(i) - 127.5F;
        block(4)[i] = i == 17 ? 1e30F : 1e-30F;
        block(5)[i] = i == 17 ? 127.0F : i == 18 ? -127.0F : 1.5F;
    }
    const size_t         size = ggml_row_size(GGML_TYPE_Q8_K, length);
    std::vector<uint8_t> got(blocks * size, 0);
    std::vector<uint8_t> expected(blocks * size, 0);
    inkling_quantize_q8_K(values.data(), got.data(), blocks * length);
    quantize_row_q8_K_ref(values.data(), expected.data(), blocks * length);
    for (int64_t index = 0; index < blocks; ++index) {
        if (std::memcmp(got.data() + index * size, expected.data() + index * size, size) != 0) {
            inkling_test::fail(__FILE__, __LINE__, "block " + std::to_string(index) + " differs");
        }
    }
}

TEST("values that are too small for their scale become zeros, and no number is made of what is none") {
    constexpr int64_t  length = 256;
    std::vector<float> values(length, 0.0F);
    values[3] = 1e-42F;
    std::vector<uint8_t> block(ggml_row_size(GGML_TYPE_Q8_K, length), 1);
    inkling_quantize_q8_K(values.data(), block.data(), length);
    float scale = 1;
    std::memcpy(&scale, block.data(), sizeof(scale));
    CHECK(scale == 0.0F);
    std::fill(values.begin(), values.end(), std::nanf(""));
    inkling_quantize_q8_K(values.data(), block.data(), length);
}

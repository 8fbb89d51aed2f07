// Products with the weights of experts: how many rows of a batch go to the same expert changes no bit.
#include "check.h"
#include "graph_memory.h"

#include "ggml-cpu.h"
#include "ggml.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int64_t LENGTH  = 512;
constexpr int64_t WEIGHTS = 24;
constexpr int64_t EXPERTS = 16;
constexpr int64_t USED    = 2;
// The shortest batch whose rows have the numbers of those of longer ones (batch_history.h). A quarter of the experts
// get most of the rows, so that some have fewer in one block than ggml wants for its kernel of many rows.
constexpr int64_t BLOCK   = 64;

std::vector<float> product(ggml_type type, const std::vector<uint8_t> & weights, const float * rows,
                           const int32_t * experts, int64_t tokens) {
    auto &         memory  = inkling_test::graph_memory(weights.size() + (8 << 20));
    ggml_context * context = ggml_init({memory.size(), memory.data(), false});
    ggml_tensor *  left    = ggml_new_tensor_3d(context, type, LENGTH, WEIGHTS, EXPERTS);
    ggml_tensor *  right   = ggml_new_tensor_3d(context, GGML_TYPE_F32, LENGTH, 1, tokens);
    ggml_tensor *  ids     = ggml_new_tensor_2d(context, GGML_TYPE_I32, USED, tokens);
    std::memcpy(left->data, weights.data(), weights.size());
    std::memcpy(right->data, rows, ggml_nbytes(right));
    std::memcpy(ids->data, experts, ggml_nbytes(ids));
    ggml_cgraph * graph = ggml_new_graph(context);
    ggml_tensor * out   = ggml_mul_mat_id(context, left, right, ids);
    ggml_build_forward_expand(graph, out);
    ggml_graph_compute_with_ctx(context, graph, 2);
    const auto *       values = static_cast<const float *>(out->data);
    std::vector<float> result(values, values + ggml_nelements(out));
    ggml_free(context);
    return result;
}

} // namespace

TEST("rows of two blocks have the numbers of each block, for each type of weights") {
    ggml_cpu_init();
    std::mt19937                    random(20261124);
    std::normal_distribution<float> normal;
    const auto                      values = [&](int64_t count) {
        std::vector<float> made(static_cast<size_t>(count));
        std::generate(made.begin(), made.end(), [&] { return normal(random) * normal(random); });
        return made;
    };
    std::vector<int32_t> experts;
    for (int64_t token = 0; token < 2 * BLOCK; ++token) {
        const bool is_rare = random() % 3 == 0;
        const auto first   = static_cast<int32_t>(is_rare ? 4 + random() % (EXPERTS - 5) : random() % 4);
        experts.insert(experts.end(), {first, first + 1});
    }
    for (const ggml_type type :
         {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_Q8_0, GGML_TYPE_Q4_0, GGML_TYPE_Q3_K, GGML_TYPE_Q4_K, GGML_TYPE_Q5_K,
          GGML_TYPE_Q6_K, GGML_TYPE_IQ4_NL, GGML_TYPE_IQ4_XS, GGML_TYPE_IQ3_S, GGML_TYPE_IQ2_S}) {
        const int64_t        n_rows = WEIGHTS * EXPERTS;
        std::vector<uint8_t> weights(static_cast<size_t>(n_rows) * ggml_row_size(type, LENGTH));
        ggml_quantize_chunk(type, values(n_rows * LENGTH).data(), weights.data(), 0, n_rows, LENGTH, nullptr);
        const auto rows     = values(2 * BLOCK * LENGTH);
        auto       expected = product(type, weights, rows.data(), experts.data(), BLOCK);
        const auto second = product(type, weights, rows.data() + BLOCK * LENGTH, experts.data() + BLOCK * USED, BLOCK);
        expected.insert(expected.end(), second.begin(), second.end());
        const auto together = product(type, weights, rows.data(), experts.data(), 2 * BLOCK);
        if (together != expected) {
            inkling_test::fail(__FILE__, __LINE__, std::string(ggml_type_name(type)) + ": two blocks differ from each");
        }
    }
}

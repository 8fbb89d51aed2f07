// The kernel of norms: right for each length, alike for each number of threads.
#include "check.h"
#include "graph_memory.h"
#include "sum_of_squares.h"

#include "ggml-cpu.h"
#include "ggml.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr int64_t ROWS    = 7;
constexpr float   EPSILON = 1e-6F;

enum class norm { rms, l2 };

std::vector<float> normalize(norm kind, const std::vector<float> & values, int64_t length, int threads) {
    auto &         memory  = inkling_test::graph_memory(4 << 20);
    ggml_context * context = ggml_init({memory.size(), memory.data(), false});
    ggml_tensor *  in      = ggml_new_tensor_2d(context, GGML_TYPE_F32, length, ROWS);
    std::memcpy(in->data, values.data(), values.size() * sizeof(float));
    ggml_tensor * out   = kind == norm::rms ? ggml_rms_norm(context, in, EPSILON) : ggml_l2_norm(context, in, EPSILON);
    ggml_cgraph * graph = ggml_new_graph(context);
    ggml_build_forward_expand(graph, out);
    ggml_graph_compute_with_ctx(context, graph, threads);
    const auto *       first = static_cast<const float *>(out->data);
    std::vector<float> result(first, first + ggml_nelements(out));
    ggml_free(context);
    return result;
}

} // namespace

TEST("norms are what their definitions say, for each length") {
    ggml_cpu_init();
    std::mt19937                    random(20261124);
    std::normal_distribution<float> normal;
    for (const int64_t length : {1, 31, 32, 33, 64, 100, 2560}) {
        std::vector<float> values(static_cast<size_t>(length * ROWS));
        for (float & value : values) {
            value = normal(random);
        }
        for (const norm kind : {norm::rms, norm::l2}) {
            const auto got = normalize(kind, values, length, 1);
            CHECK(normalize(kind, values, length, 3) == got);
            double worst = 0;
            for (int64_t row = 0; row < ROWS; ++row) {
                const float * in  = values.data() + row * length;
                double        sum = 0;
                for (int64_t i = 0; i < length; ++i) {
                    sum += static_cast<double>(in[i]) * in[i];
                }
                const double divisor = kind == norm::rms ? std::sqrt(sum / static_cast<double>(length) + EPSILON)
                                                         : std::max(std::sqrt(sum), static_cast<double>(EPSILON));
                for (int64_t i = 0; i < length; ++i) {
                    const double error = std::abs(got[static_cast<size_t>(row * length + i)] - in[i] / divisor);
                    worst              = std::max(worst, error / std::max(1.0, std::abs(in[i] / divisor)));
                }
            }
            CHECK(worst < 1e-6);
        }
    }
}

// Of the sum itself: ggml's own assertions, where they are compiled, end the process at such a row.
TEST("a value that is not a number makes the sum none") {
    std::vector<float> values(70, 1.0F);
    CHECK_EQUAL(inkling_sum_of_squares(values.data(), 70), 70.0);
    for (const size_t place : {size_t{0}, size_t{40}, size_t{69}}) {
        auto broken   = values;
        broken[place] = std::nanf("");
        CHECK(std::isnan(inkling_sum_of_squares(broken.data(), 70)));
    }
}

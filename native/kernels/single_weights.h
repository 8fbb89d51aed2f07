// One row of quantized weights as the file has it, and its products with rows of activations. For row_products.cpp.

#pragma once

#include "unpacked_weights.h"

#include <cmath>

namespace inkling_kernels {

// The sum of a row of weights and a row of activations.
struct plain_sum {
    __m256 lanes = _mm256_setzero_ps();

    void add(float scale, __m256i dots) {
        lanes = _mm256_fmadd_ps(_mm256_set1_ps(scale), _mm256_cvtepi32_ps(dots), lanes);
    }
    float whole() const { return horizontal_sum(lanes); }
};

// The same where weights have a minimum.
struct sum_with_minimum : plain_sum {
    float minimum = 0;

    float whole() const { return horizontal_sum(lanes) + minimum; }
};

template <int n_rows> struct q8_0_rows {
    static constexpr int block_length = QK8_0;
    // Long rows of weights that are read side by side. Their activations do not fit into the nearest cache, and are
    // read once for all of these rows.
    static constexpr int together     = n_rows <= 3 ? 4 : 2;
    using weight                      = block_q8_0;
    using activation                  = block_q8_0;
    using sum                         = plain_sum;

    static void add(sum (&sums)[n_rows], const block_q8_0 & block, const block_q8_0 * const (&rows)[n_rows],
                    int64_t b) {
        const __m256i weights    = load(block.qs);
        const __m256i magnitudes = _mm256_sign_epi8(weights, weights);
        const float   scale      = to_float(block.d);
        for (int row = 0; row < n_rows; row++) {
            const block_q8_0 & values = rows[row][b];
            const __m256i      dots   = dot_of_four(magnitudes, _mm256_sign_epi8(load(values.qs), weights));
            sums[row].add(scale * to_float(values.d), dots);
        }
    }
};

template <int n_rows> struct q6_K_rows {
    static constexpr int block_length = QK_K;
    // Unpacking takes longer than reading the activations.
    static constexpr int together     = 1;
    using weight                      = block_q6_K;
    using activation                  = block_q8_K;
    using sum                         = plain_sum;

    static void add(sum (&sums)[n_rows], const block_q6_K & block, const block_q8_K * const (&rows)[n_rows],
                    int64_t b) {
        const __m256i scales = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i *>(block.scales)));
        q6_K_dots     dots[n_rows]{};
#if defined(__GNUC__)
#pragma GCC unroll 8
#endif
        for (int part = 0; part < QK_K / q6_K_part::length; part++) {
            const q6_K_part weights(block, part);
            for (int row = 0; row < n_rows; row++) {
                weights.add(dots[row], rows[row][b].qs + q6_K_part::length * part);
            }
        }
        const float scale = to_float(block.d);
        for (int row = 0; row < n_rows; row++) {
            // The values are stored as 0 to 63 and mean -32 to 31; the difference is 32 times the scaled sum.
            const __m256i offset = _mm256_slli_epi32(_mm256_madd_epi16(load(rows[row][b].bsums), scales), 5);
            sums[row].add(rows[row][b].d * scale, _mm256_sub_epi32(dots[row].sums(), offset));
        }
    }
};

template <int n_rows> struct q5_K_rows {
    static constexpr int block_length = QK_K;
    static constexpr int together     = 1;
    using weight                      = block_q5_K;
    using activation                  = block_q8_K;
    using sum                         = sum_with_minimum;

    static void add(sum (&sums)[n_rows], const block_q5_K & block, const block_q8_K * const (&rows)[n_rows],
                    int64_t b) {
        const scales_and_minimums of_sub_blocks(block.scales);
        q5_K_dots                 dots[n_rows]{};
#if defined(__GNUC__)
#pragma GCC unroll 8
#endif
        for (int part = 0; part < QK_K / q5_K_part::length; part++) {
            const q5_K_part weights(block, of_sub_blocks.scales, part);
            for (int row = 0; row < n_rows; row++) {
                weights.add(dots[row], rows[row][b].qs + q5_K_part::length * part);
            }
        }
        const float scale         = to_float(block.data.data.d);
        const float minimum_scale = to_float(block.data.data.dmin);
        for (int row = 0; row < n_rows; row++) {
            const block_q8_K & values   = rows[row][b];
            __m128i            minimums = _mm_madd_epi16(of_sub_blocks.minimums, sums_of_32(values));
            minimums                    = _mm_add_epi32(minimums, _mm_shuffle_epi32(minimums, _MM_SHUFFLE(1, 0, 3, 2)));
            minimums                    = _mm_add_epi32(minimums, _mm_shuffle_epi32(minimums, _MM_SHUFFLE(2, 3, 0, 1)));
            sums[row].minimum =
                std::fma(-values.d * minimum_scale, static_cast<float>(_mm_cvtsi128_si32(minimums)), sums[row].minimum);
            sums[row].add(values.d * scale, dots[row].sums());
        }
    }
};

} // namespace inkling_kernels

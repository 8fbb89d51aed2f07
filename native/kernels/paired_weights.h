// Two neighbouring rows of quantized weights side by side, one in each half of a register, and their products with rows
// of activations. For row_products.cpp, where the flavour has AVX-512 VNNI. Each half gets the floating-point
// operations of one row of weights alone, in their order; how integers are summed changes no bit.

#pragma once

#include "unpacked_weights.h"

#if defined(INKLING_VNNI)

namespace inkling_kernels {

// GCC calls a function of this size instead, and the sums then go through memory.
#if defined(__GNUC__)
#define INKLING_INLINE [[gnu::always_inline]]
#else
#define INKLING_INLINE
#endif

inline __m512i side_by_side(__m256i first, __m256i second) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
}

inline __m512 scales_of(ggml_half first, ggml_half second) {
    const __m256i halves = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_set1_epi16(static_cast<int16_t>(first))),
                                                   _mm_set1_epi16(static_cast<int16_t>(second)), 1);
    return _mm512_cvtph_ps(halves);
}

template <int n_rows> struct q8_0_pairs {
    static constexpr int    block_length = QK8_0;
    // So many pairs at a time, which share what is read of the activations.
    static constexpr int    together     = 2;
    // Bytes of all these rows up to which they are prefetched in the order of memory.
    static constexpr size_t in_order     = size_t{8} * 1024;
    using weight                         = block_q8_0;
    using activation                     = block_q8_0;

    INKLING_INLINE static void add(__m512 (&sums)[together][n_rows], const block_q8_0 * const (&weights)[2 * together],
                                   const block_q8_0 * const (&rows)[n_rows], int64_t b) {
        __m512i   magnitudes[together];
        __mmask64 negative[together];
        __m512    scales[together];
        for (int64_t pair = 0; pair < together; pair++) {
            const block_q8_0 & first  = weights[2 * pair][b];
            const block_q8_0 & second = weights[2 * pair + 1][b];
            const __m512i      both   = side_by_side(load(first.qs), load(second.qs));
            magnitudes[pair]          = _mm512_abs_epi8(both);
            negative[pair]            = _mm512_movepi8_mask(both);
            scales[pair]              = scales_of(first.d, second.d);
        }
        const __m512i zero = _mm512_setzero_si512();
        for (int row = 0; row < n_rows; row++) {
            const block_q8_0 & block     = rows[row][b];
            const __m512i      values    = _mm512_broadcast_i64x4(load(block.qs));
            const __m512       row_scale = _mm512_cvtph_ps(_mm256_set1_epi16(static_cast<int16_t>(block.d)));
            for (int64_t pair = 0; pair < together; pair++) {
                const __m512i of_signs = _mm512_mask_sub_epi8(values, negative[pair], zero, values);
                const __m512i dots     = _mm512_dpbusd_epi32(zero, magnitudes[pair], of_signs);
                sums[pair][row] =
                    _mm512_fmadd_ps(_mm512_mul_ps(scales[pair], row_scale), _mm512_cvtepi32_ps(dots), sums[pair][row]);
            }
        }
    }
};

// A block of Q6_K in quarters of 64 values.
struct q6_K_unpacked {
    // From 0 to 63.
    __m512i values[4];
    // Sixteen values share a scale: four elements of 32 bits, with the scale in the lower half and zero in the upper.
    __m512i scales[4];
    // Sixteen bits each.
    __m256i all_scales;

    INKLING_INLINE explicit q6_K_unpacked(const block_q6_K & block)
        : all_scales(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i *>(block.scales)))) {
        const __m512i of_lanes  = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        const __m512i low_four  = _mm512_set1_epi8(0x0f);
        const __m512i low_six   = _mm512_set1_epi8(0x3f);
        const __m512i left      = _mm512_inserti64x4(_mm512_set1_epi16(4), _mm256_set1_epi16(2), 1);
        const __m512i right     = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi16(2), 1);
        const auto    with_twos = [&](__m512i nibbles, __m512i twos) {
            constexpr int FIRST_SELECTS = 0xca;
            return _mm512_and_si512(low_six, _mm512_ternarylogic_epi32(low_four, nibbles, twos, FIRST_SELECTS));
        };
        for (int64_t half = 0; half < 2; half++) {
            const __m512i nibbles = _mm512_loadu_si512(block.ql + 64 * half);
            // Bits 0 and 1 belong to the first 32 values of half a block, 2 and 3 to the next, and so on.
            const __m512i twos    = _mm512_broadcast_i64x4(load(block.qh + 32 * half));
            values[2 * half]      = with_twos(nibbles, _mm512_sllv_epi16(twos, left));
            values[2 * half + 1]  = with_twos(_mm512_srli_epi16(nibbles, 4), _mm512_srlv_epi16(twos, right));
        }
        for (int64_t quarter = 0; quarter < 4; quarter++) {
            const __m512i order = _mm512_add_epi32(of_lanes, _mm512_set1_epi32(static_cast<int>(4 * quarter)));
            scales[quarter]     = _mm512_maskz_permutexvar_epi16(0x55555555, order, _mm512_castsi256_si512(all_scales));
        }
    }

    INKLING_INLINE void add(__m512i & dots, int64_t quarter, __m512i of_row) const {
        // At most 4 x 63 x 128: the lower sixteen bits hold it.
        const __m512i products = _mm512_dpbusd_epi32(_mm512_setzero_si512(), values[quarter], of_row);
        dots                   = _mm512_dpwssd_epi32(dots, products, scales[quarter]);
    }
};

template <int n_rows> struct q6_K_pairs {
    static constexpr int    block_length = QK_K;
    static constexpr int    together     = 1;
    static constexpr size_t in_order     = size_t{128} * 1024;
    using weight                         = block_q6_K;
    using activation                     = block_q8_K;

    INKLING_INLINE static void add(__m512 (&sums)[together][n_rows], const block_q6_K * const (&weights)[2 * together],
                                   const block_q8_K * const (&rows)[n_rows], int64_t b) {
        const q6_K_unpacked first(weights[0][b]);
        const q6_K_unpacked second(weights[1][b]);
        const __m512i       both_scales = side_by_side(first.all_scales, second.all_scales);
        // The values are stored as 0 to 63 and mean -32 to 31; the difference is 32 times the scaled sum.
        const __m512i       offsets     = _mm512_slli_epi16(_mm512_sub_epi16(_mm512_setzero_si512(), both_scales), 5);
        const __m512        scales      = scales_of(weights[0][b].d, weights[1][b].d);
        for (int row = 0; row < n_rows; row++) {
            const block_q8_K & block       = rows[row][b];
            // Two sums for each eighth of 32 values.
            __m512i            first_dots  = _mm512_setzero_si512();
            __m512i            second_dots = _mm512_setzero_si512();
            for (int64_t quarter = 0; quarter < 4; quarter++) {
                const __m512i values = _mm512_loadu_si512(block.qs + 64 * quarter);
                first.add(first_dots, quarter, values);
                second.add(second_dots, quarter, values);
            }
            __m512i dots = _mm512_add_epi32(_mm512_shuffle_i64x2(first_dots, second_dots, _MM_SHUFFLE(1, 0, 1, 0)),
                                            _mm512_shuffle_i64x2(first_dots, second_dots, _MM_SHUFFLE(3, 2, 3, 2)));
            dots         = _mm512_dpwssd_epi32(dots, _mm512_broadcast_i64x4(load(block.bsums)), offsets);
            sums[0][row] =
                _mm512_fmadd_ps(_mm512_mul_ps(scales, _mm512_set1_ps(block.d)), _mm512_cvtepi32_ps(dots), sums[0][row]);
        }
    }
};

} // namespace inkling_kernels

#endif

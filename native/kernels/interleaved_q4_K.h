// Products with Q4_K weights that ggml has interleaved in groups of eight rows, here called columns. For
// row_products.cpp. A sum of integers changes no bit; each sum of floating-point numbers has ggml's order.

#pragma once

#include "row_products.h"
#include "unpacked_weights.h"

namespace inkling_kernels {

inline int64_t eight(const int8_t * from) {
    int64_t bytes;
    std::memcpy(&bytes, from, sizeof(bytes));
    return bytes;
}

// Six-bit scales and minimums of two neighbouring sub-blocks in eight columns, as block_q4_Kx8 packs each into twelve
// bytes: in each half of the result bytes 0 to 7 are the scales of the columns, bytes 8 to 15 their minimums.
inline __m256i unpack_scales(const uint8_t * packed) {
    // Reads four bytes beyond the second, which are within the block.
    const __m256i words =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i *>(packed))),
                                _mm_loadu_si128(reinterpret_cast<const __m128i *>(packed + 12)), 1);
    // Words 0 and 1: columns 0 to 3 whole, and the upper two bits of the others; word 2: the others' lower four bits.
    const __m256i first = _mm256_and_si256(words, _mm256_set1_epi8(0x3f));
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(words, 2), _mm256_set1_epi8(0x30));
    const __m256i lower = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi32(words, _MM_SHUFFLE(2, 2, 2, 2)),
                                                             _mm256_setr_epi32(0, 4, 0, 4, 0, 4, 0, 4)),
                                           _mm256_set1_epi8(0x0f));
    return _mm256_unpacklo_epi32(first, _mm256_or_si256(upper, lower));
}

#if defined(INKLING_VNNI)

// The sums of the two halves of a sub-block of activations, for each column.
inline __m256i two_sums(const int16_t * from) {
    int32_t both;
    std::memcpy(&both, from, sizeof(both));
    return _mm256_set1_epi32(both);
}

// Of one row of activations and eight columns of weights: scaled sums, two for each column, and what the columns'
// minimums take away.
struct q4_K_8x8_dots {
    __m512i pairs    = _mm512_setzero_si512();
    __m256i minimums = _mm256_setzero_si256();

    void subtract(__m256i of_columns, __m256i of_row) { minimums = _mm256_dpwssd_epi32(minimums, of_columns, of_row); }
};

// 32 values of eight columns.
template <bool high> struct q4_K_8x8_sub_block {
    __m512i eighths[4];
    __m512i scales;

    q4_K_8x8_sub_block(const uint8_t * quants, __m128i packed_scales)
        : scales(_mm512_cvtepu8_epi32(_mm_unpacklo_epi8(packed_scales, packed_scales))) {
        for (int64_t eighth = 0; eighth < 4; eighth++) {
            const __m512i both = _mm512_loadu_si512(quants + 64 * eighth);
            eighths[eighth]    = _mm512_and_si512(high ? _mm512_srli_epi16(both, 4) : both, _mm512_set1_epi8(0x0f));
        }
    }

    void add(q4_K_8x8_dots & dots, const int8_t * values) const {
        __m512i products = _mm512_setzero_si512();
        for (int64_t eighth = 0; eighth < 4; eighth++) {
            products = _mm512_dpbusd_epi32(products, eighths[eighth], _mm512_set1_epi64(eight(values + 8 * eighth)));
        }
        // At most 16 x 15 x 128: the lower sixteen bits hold it, and the scale's upper sixteen are zero.
        dots.pairs = _mm512_dpwssd_epi32(dots.pairs, products, scales);
    }
};

// A block's scales of the columns, and of their minimums.
struct q4_K_8x8_scales {
    __m512 both;

    explicit q4_K_8x8_scales(const block_q4_Kx8 & block) : both(_mm512_cvtph_ps(load(block.d))) {
        static_assert(offsetof(block_q4_Kx8, dmin) == offsetof(block_q4_Kx8, d) + sizeof(block.d));
    }
};

// Below the columns, above their minimums.
struct q4_K_8x8_sums {
    __m512 both = _mm512_setzero_ps();

    void add(const q4_K_8x8_dots & dots, const q4_K_8x8_scales & scales, float scale) {
        const __m256i columns = _mm512_cvtepi64_epi32(_mm512_add_epi32(dots.pairs, _mm512_srli_epi64(dots.pairs, 32)));
        const __m512i whole   = _mm512_inserti64x4(_mm512_castsi256_si512(columns), dots.minimums, 1);
        both = _mm512_fmadd_ps(_mm512_cvtepi32_ps(whole), _mm512_mul_ps(scales.both, _mm512_set1_ps(scale)), both);
    }
    __m256 columns() const { return _mm256_sub_ps(_mm512_castps512_ps256(both), _mm512_extractf32x8_ps(both, 1)); }
};

template <int n_rows> void multiply_q4_K_8x8(const inkling_row_product & product) {
    const int64_t      n_blocks    = product.n / QK_K;
    const int64_t      n_groups    = product.n_weights / 8;
    const size_t       out_width   = product.out_stride / sizeof(float);
    const auto *       weights     = static_cast<const block_q4_Kx8 *>(product.weights);
    const auto * const activations = static_cast<const block_q8_K *>(product.activations);

    for (int64_t group = 0; group < n_groups; group++, weights += n_blocks) {
        q4_K_8x8_sums sums[n_rows];
        for (int64_t b = 0; b < n_blocks; b++) {
            const block_q4_Kx8 & block = weights[b];
            const block_q8_K *   rows[n_rows];
            q4_K_8x8_dots        dots[n_rows];
            for (int row = 0; row < n_rows; row++) {
                rows[row] = &activations[row * n_blocks + b];
            }
#if defined(__GNUC__)
#pragma GCC unroll 4
#endif
            for (int64_t pair = 0; pair < QK_K / 64; pair++) {
                const __m256i   packed = unpack_scales(block.scales + 24 * pair);
                const __m128i   even   = _mm256_castsi256_si128(packed);
                const __m128i   odd    = _mm256_extracti128_si256(packed, 1);
                const uint8_t * quants = block.qs + 256 * pair;
                for (size_t line = 0; line < sizeof(block_q4_Kx8) / (QK_K / 64); line += 64) {
                    prefetch(quants, PREFETCH_BYTES_8x8 + line);
                }
                const q4_K_8x8_sub_block<false> low(quants, even);
                for (int row = 0; row < n_rows; row++) {
                    low.add(dots[row], rows[row]->qs + 64 * pair);
                }
                const q4_K_8x8_sub_block<true> high(quants, odd);
                // Each column twice, for both halves of the sub-block.
                const __m256i                  low_minimums  = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(even, even));
                const __m256i                  high_minimums = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(odd, odd));
                for (int row = 0; row < n_rows; row++) {
                    high.add(dots[row], rows[row]->qs + 64 * pair + 32);
                    dots[row].subtract(low_minimums, two_sums(rows[row]->bsums + 4 * pair));
                    dots[row].subtract(high_minimums, two_sums(rows[row]->bsums + 4 * pair + 2));
                }
            }
            const q4_K_8x8_scales scales(block);
            for (int row = 0; row < n_rows; row++) {
                sums[row].add(dots[row], scales, rows[row]->d);
            }
        }
        for (int row = 0; row < n_rows; row++) {
            _mm256_storeu_ps(product.out + row * out_width + 8 * group, sums[row].columns());
        }
    }
}

#else

// Scaled sums of one row of activations with eight columns of weights, two for each column.
struct q4_K_8x8_dots {
    __m256i columns_0123;
    __m256i columns_4567;

    // Columns in the order in which _mm256_hadd_epi32 leaves them: 0 1 4 5 2 3 6 7.
    __m256i       columns() const { return _mm256_hadd_epi32(columns_0123, columns_4567); }
    static __m256 in_order(__m128i halves) {
        const __m128i order = _mm_setr_epi8(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
        return _mm256_cvtph_ps(_mm_shuffle_epi8(halves, order));
    }
    static __m256 ordered(__m256 columns) {
        return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(columns), _MM_SHUFFLE(3, 1, 2, 0)));
    }
};

// 32 values of eight columns.
template <bool high> struct q4_K_8x8_sub_block {
    __m256i eighths_0123[4];
    __m256i eighths_4567[4];
    __m256i scales_0123;
    __m256i scales_4567;

    q4_K_8x8_sub_block(const uint8_t * quants, __m128i packed_scales) {
        for (int64_t eighth = 0; eighth < 4; eighth++) {
            eighths_0123[eighth] = nibbles(load(quants + 64 * eighth));
            eighths_4567[eighth] = nibbles(load(quants + 64 * eighth + 32));
        }
        // Four times each: the sixteen-bit scale of columns 0 to 3, and of 4 to 7.
        const __m256i of_0123 = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, //
                                                 4, 5, 4, 5, 4, 5, 4, 5, 6, 7, 6, 7, 6, 7, 6, 7);
        const __m256i scales  = _mm256_broadcastsi128_si256(_mm_cvtepu8_epi16(packed_scales));
        scales_0123           = _mm256_shuffle_epi8(scales, of_0123);
        scales_4567           = _mm256_shuffle_epi8(scales, _mm256_add_epi8(of_0123, _mm256_set1_epi8(8)));
    }

    static __m256i nibbles(__m256i both) {
        return _mm256_and_si256(high ? _mm256_srli_epi16(both, 4) : both, _mm256_set1_epi8(0x0f));
    }

    void add(q4_K_8x8_dots & dots, const int8_t * values) const {
        __m256i products_0123 = _mm256_setzero_si256();
        __m256i products_4567 = _mm256_setzero_si256();
        for (int64_t eighth = 0; eighth < 4; eighth++) {
            const __m256i of_row = _mm256_set1_epi64x(eight(values + 8 * eighth));
            // At most 4 x 2 x 15 x 128: sixteen bits hold it.
            products_0123        = _mm256_add_epi16(products_0123, _mm256_maddubs_epi16(eighths_0123[eighth], of_row));
            products_4567        = _mm256_add_epi16(products_4567, _mm256_maddubs_epi16(eighths_4567[eighth], of_row));
        }
        dots.columns_0123 = _mm256_add_epi32(dots.columns_0123, _mm256_madd_epi16(products_0123, scales_0123));
        dots.columns_4567 = _mm256_add_epi32(dots.columns_4567, _mm256_madd_epi16(products_4567, scales_4567));
    }
};

template <int n_rows> void multiply_q4_K_8x8(const inkling_row_product & product) {
    const int64_t      n_blocks    = product.n / QK_K;
    const int64_t      n_groups    = product.n_weights / 8;
    const size_t       out_width   = product.out_stride / sizeof(float);
    const auto *       weights     = static_cast<const block_q4_Kx8 *>(product.weights);
    const auto * const activations = static_cast<const block_q8_K *>(product.activations);

    for (int64_t group = 0; group < n_groups; group++, weights += n_blocks) {
        __m256 sums[n_rows];
        __m256 min_sums[n_rows];
        for (int row = 0; row < n_rows; row++) {
            sums[row] = min_sums[row] = _mm256_setzero_ps();
        }

        for (int64_t b = 0; b < n_blocks; b++) {
            const block_q4_Kx8 & block = weights[b];
            q4_K_8x8_dots        dots[n_rows];
            __m256i              mins[n_rows];
            alignas(16) int32_t  activation_sums[n_rows][4];
            for (int row = 0; row < n_rows; row++) {
                dots[row] = q4_K_8x8_dots();
                mins[row] = _mm256_setzero_si256();
                _mm_store_si128(reinterpret_cast<__m128i *>(activation_sums[row]),
                                sums_of_32(activations[row * n_blocks + b]));
            }

            for (int64_t pair = 0; pair < QK_K / 64; pair++) {
                const __m256i   packed = unpack_scales(block.scales + 24 * pair);
                const __m128i   even   = _mm256_castsi256_si128(packed);
                const __m128i   odd    = _mm256_extracti128_si256(packed, 1);
                const uint8_t * quants = block.qs + 256 * pair;
                for (size_t line = 0; line < sizeof(block_q4_Kx8) / (QK_K / 64); line += 64) {
                    prefetch(quants, PREFETCH_BYTES_8x8 + line);
                }
                const q4_K_8x8_sub_block<false> low(quants, even);
                for (int row = 0; row < n_rows; row++) {
                    low.add(dots[row], activations[row * n_blocks + b].qs + 64 * pair);
                }
                const q4_K_8x8_sub_block<true> high(quants, odd);
                const __m256i                  both_mins = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(even, odd));
                for (int row = 0; row < n_rows; row++) {
                    high.add(dots[row], activations[row * n_blocks + b].qs + 64 * pair + 32);
                    const __m256i both_sums = _mm256_set1_epi32(activation_sums[row][pair]);
                    mins[row]               = _mm256_add_epi32(mins[row], _mm256_madd_epi16(both_sums, both_mins));
                }
            }

            const __m256 scale = q4_K_8x8_dots::in_order(_mm_loadu_si128(reinterpret_cast<const __m128i *>(block.d)));
            const __m256 min_scale = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(block.dmin)));
            for (int row = 0; row < n_rows; row++) {
                const __m256 row_scale = _mm256_set1_ps(activations[row * n_blocks + b].d);
                sums[row] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[row].columns()), _mm256_mul_ps(scale, row_scale),
                                            sums[row]);
                min_sums[row] =
                    _mm256_fmadd_ps(_mm256_cvtepi32_ps(mins[row]), _mm256_mul_ps(min_scale, row_scale), min_sums[row]);
            }
        }

        for (int row = 0; row < n_rows; row++) {
            _mm256_storeu_ps(product.out + row * out_width + 8 * group,
                             _mm256_sub_ps(q4_K_8x8_dots::ordered(sums[row]), min_sums[row]));
        }
    }
}

#endif

} // namespace inkling_kernels

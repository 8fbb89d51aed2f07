// Products of many rows of activations, as a prompt has them. Sixteen rows of weights, here called columns, are
// unpacked once, into memory and in the order in which they are needed; they stay in the caches for all rows of
// activations. For row_products.cpp, where the flavour has AVX-512 VNNI. Each sum gets the floating-point operations of
// one row alone, in their order; how integers are summed changes no bit.

#pragma once

#include "interleaved_q4_K.h"
#include "paired_weights.h"
#include "transpose.h"

#if defined(INKLING_VNNI)

#include <cstring>
#include <vector>

namespace inkling_kernels {

constexpr int64_t COLUMNS = INKLING_COLUMNS;

// Room for n_blocks unpacked blocks of sixteen columns. The thread keeps it: up to 6 KB for 256 values, and a row of
// weights has some thousand values.
template <typename columns> columns * room_for(int64_t n_blocks) {
    static thread_local std::vector<columns> room;
    if (room.size() < static_cast<size_t>(n_blocks)) {
        room.resize(static_cast<size_t>(n_blocks));
    }
    return room.data();
}

INKLING_INLINE inline __m512i low_halves(__m512i words) {
    return _mm512_and_si512(words, _mm512_set1_epi32(0xffff));
}

// In each element of 32 bits, the lower halves of two elements.
INKLING_INLINE inline __m512i halves_of(__m512i low, __m512i high) {
    return _mm512_or_si512(low_halves(low), _mm512_slli_epi32(high, 16));
}

INKLING_INLINE inline __m512 two_halves_of_eight(const ggml_half (&first)[8], const ggml_half (&second)[8]) {
    const __m128i low  = _mm_loadu_si128(reinterpret_cast<const __m128i *>(first));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i *>(second));
    return _mm512_cvtph_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1));
}

// A block of 256 values of Q4_K in sixteen columns, from two groups of eight that ggml interleaved. Its eight
// sub-blocks have 32 values each.
struct alignas(64) q4_K_columns {
    using activation                    = block_q8_K;
    // Rows of activations at a time: as many as there are registers for.
    static constexpr int64_t together   = 4;
    // With fewer rows, unpacking costs more than it gains.
    static constexpr int64_t worthwhile = 12;
    static constexpr int64_t GROUPS     = 2;
    static constexpr int64_t EIGHTHS    = 4;
    static constexpr int64_t SUB_BLOCKS = 8;
    // Eighths of a sub-block, eight values of each column of a group.
    uint8_t                  values[SUB_BLOCKS][GROUPS][EIGHTHS][64];
    // Of each column twice, for the two sums of it in q4_K_8x8_dots.
    uint32_t                 scales[SUB_BLOCKS][GROUPS][16];
    // Of two neighbouring sub-blocks, sixteen bits each.
    uint32_t                 minimums[SUB_BLOCKS / 2][16];
    float                    scale_of_scales[16];
    float                    scale_of_minimums[16];

    void unpack(const block_q4_Kx8 & first, const block_q4_Kx8 & second) {
        const block_q4_Kx8 * const groups[GROUPS] = {&first, &second};
        for (int64_t pair = 0; pair < SUB_BLOCKS / 2; pair++) {
            __m128i packed[2][GROUPS];
            for (int64_t group = 0; group < GROUPS; group++) {
                const uint8_t * quants = groups[group]->qs + 256 * pair;
                for (int64_t eighth = 0; eighth < EIGHTHS; eighth++) {
                    const __m512i both = _mm512_loadu_si512(quants + 64 * eighth);
                    const __m512i four = _mm512_set1_epi8(0x0f);
                    _mm512_store_si512(values[2 * pair][group][eighth], _mm512_and_si512(both, four));
                    _mm512_store_si512(values[2 * pair + 1][group][eighth],
                                       _mm512_and_si512(_mm512_srli_epi16(both, 4), four));
                }
                const __m256i of_pair = unpack_scales(groups[group]->scales + 24 * pair);
                packed[0][group]      = _mm256_castsi256_si128(of_pair);
                packed[1][group]      = _mm256_extracti128_si256(of_pair, 1);
                for (int64_t odd = 0; odd < 2; odd++) {
                    const __m128i twice = _mm_unpacklo_epi8(packed[odd][group], packed[odd][group]);
                    _mm512_store_si512(scales[2 * pair + odd][group], _mm512_cvtepu8_epi32(twice));
                }
            }
            const __m512i even = _mm512_cvtepu8_epi32(_mm_unpackhi_epi64(packed[0][0], packed[0][1]));
            const __m512i odd  = _mm512_cvtepu8_epi32(_mm_unpackhi_epi64(packed[1][0], packed[1][1]));
            _mm512_store_si512(minimums[pair], halves_of(even, odd));
        }
        _mm512_store_ps(scale_of_scales, two_halves_of_eight(first.d, second.d));
        _mm512_store_ps(scale_of_minimums, two_halves_of_eight(first.dmin, second.dmin));
    }

    // What a block's minimums take away, for each column.
    __m512i minimums_of(const block_q8_K & row) const {
        const __m512i all = _mm512_broadcast_i32x4(sums_of_32(row));
        __m512i       sum = _mm512_setzero_si512();
        sum = _mm512_dpwssd_epi32(sum, _mm512_load_si512(minimums[0]), _mm512_shuffle_epi32(all, _MM_PERM_AAAA));
        sum = _mm512_dpwssd_epi32(sum, _mm512_load_si512(minimums[1]), _mm512_shuffle_epi32(all, _MM_PERM_BBBB));
        sum = _mm512_dpwssd_epi32(sum, _mm512_load_si512(minimums[2]), _mm512_shuffle_epi32(all, _MM_PERM_CCCC));
        return _mm512_dpwssd_epi32(sum, _mm512_load_si512(minimums[3]), _mm512_shuffle_epi32(all, _MM_PERM_DDDD));
    }

    template <int n_rows> struct sums {
        __m512 columns[n_rows];
        __m512 minimums[n_rows];

        sums() {
            for (int row = 0; row < n_rows; row++) {
                columns[row] = minimums[row] = _mm512_setzero_ps();
            }
        }

        INKLING_INLINE void add(const q4_K_columns & block, const block_q8_K * const (&rows)[n_rows], int64_t b) {
            // Two sums for each column of a group, as in q4_K_8x8_dots.
            __m512i dots[n_rows][GROUPS];
            for (auto & of_row : dots) {
                of_row[0] = of_row[1] = _mm512_setzero_si512();
            }
#if defined(__GNUC__)
#pragma GCC unroll 1
#endif
            for (int64_t sub_block = 0; sub_block < SUB_BLOCKS; sub_block++) {
                __m512i first[EIGHTHS];
                __m512i second[EIGHTHS];
                for (int64_t eighth = 0; eighth < EIGHTHS; eighth++) {
                    first[eighth]  = _mm512_load_si512(block.values[sub_block][0][eighth]);
                    second[eighth] = _mm512_load_si512(block.values[sub_block][1][eighth]);
                }
                const __m512i first_scales  = _mm512_load_si512(block.scales[sub_block][0]);
                const __m512i second_scales = _mm512_load_si512(block.scales[sub_block][1]);
                for (int row = 0; row < n_rows; row++) {
                    const int8_t * const of_row   = rows[row][b].qs + 32 * sub_block;
                    __m512i              products = _mm512_setzero_si512();
                    __m512i              others   = _mm512_setzero_si512();
                    for (int64_t eighth = 0; eighth < EIGHTHS; eighth++) {
                        const __m512i eight_values = _mm512_set1_epi64(eight(of_row + 8 * eighth));
                        products                   = _mm512_dpbusd_epi32(products, first[eighth], eight_values);
                        others                     = _mm512_dpbusd_epi32(others, second[eighth], eight_values);
                    }
                    // At most 16 x 15 x 128: the lower sixteen bits hold it, and the scale's upper sixteen are zero.
                    dots[row][0] = _mm512_dpwssd_epi32(dots[row][0], products, first_scales);
                    dots[row][1] = _mm512_dpwssd_epi32(dots[row][1], others, second_scales);
                }
            }
            const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            const __m512i odd  = _mm512_add_epi32(even, _mm512_set1_epi32(1));
            for (int row = 0; row < n_rows; row++) {
                const __m512i whole = _mm512_add_epi32(_mm512_permutex2var_epi32(dots[row][0], even, dots[row][1]),
                                                       _mm512_permutex2var_epi32(dots[row][0], odd, dots[row][1]));
                const __m512  scale = _mm512_set1_ps(rows[row][b].d);
                columns[row] =
                    _mm512_fmadd_ps(_mm512_cvtepi32_ps(whole),
                                    _mm512_mul_ps(_mm512_load_ps(block.scale_of_scales), scale), columns[row]);
                minimums[row] =
                    _mm512_fmadd_ps(_mm512_cvtepi32_ps(block.minimums_of(rows[row][b])),
                                    _mm512_mul_ps(_mm512_load_ps(block.scale_of_minimums), scale), minimums[row]);
            }
        }

        __m512 whole(int row) const {
            return _mm512_sub_ps(columns[row], minimums[row]);
        }
    };
};

// A block of 256 values of Q6_K in sixteen columns. Sixteen values share a scale; parts of 32 are summed in eight lanes
// of four values, as in q6_K_pairs.
struct alignas(64) q6_K_columns {
    using activation                    = block_q8_K;
    static constexpr int64_t together   = 2;
    static constexpr int64_t worthwhile = 32;
    static constexpr int64_t PARTS      = 8;
    static constexpr int64_t LANES      = 8;
    // From 0 to 63, four of each column.
    uint8_t                  values[PARTS][LANES][64];
    // In the lower sixteen bits; the upper are zero.
    uint32_t                 scales[2 * PARTS][16];
    // The values mean -32 to 31: what is too much, for two neighbouring scales, sixteen bits each.
    uint32_t                 offsets[LANES][16];
    float                    scale_of_scales[16];

    // From the block at the same place in each of sixteen rows of weights.
    void unpack(const block_q6_K * first, size_t stride) {
        lanes quarters[4][COLUMNS];
        lanes of_columns[COLUMNS];
        for (int64_t column = 0; column < COLUMNS; column++) {
            const auto & block =
                *reinterpret_cast<const block_q6_K *>(reinterpret_cast<const char *>(first) + column * stride);
            const q6_K_unpacked unpacked(block);
            for (int64_t quarter = 0; quarter < 4; quarter++) {
                quarters[quarter][column] = {_mm512_castsi512_ps(unpacked.values[quarter])};
            }
            of_columns[column]      = {_mm512_castsi512_ps(_mm512_cvtepi16_epi32(unpacked.all_scales))};
            scale_of_scales[column] = to_float(block.d);
        }
        for (int64_t quarter = 0; quarter < 4; quarter++) {
            transpose(quarters[quarter]);
            for (int64_t i = 0; i < 2 * LANES; i++) {
                _mm512_store_ps(values[2 * quarter + i / LANES][i % LANES], quarters[quarter][i].values);
            }
        }
        transpose(of_columns);
        for (int64_t lane = 0; lane < LANES; lane++) {
            const __m512i even = _mm512_castps_si512(of_columns[2 * lane].values);
            const __m512i odd  = _mm512_castps_si512(of_columns[2 * lane + 1].values);
            _mm512_store_si512(scales[2 * lane], low_halves(even));
            _mm512_store_si512(scales[2 * lane + 1], low_halves(odd));
            const __m512i times_32 = _mm512_slli_epi16(halves_of(even, odd), 5);
            _mm512_store_si512(offsets[lane], _mm512_sub_epi16(_mm512_setzero_si512(), times_32));
        }
    }

    template <int n_rows> struct sums {
        __m512 lanes[n_rows][LANES];

        sums() {
            for (auto & of_row : lanes) {
                for (__m512 & lane : of_row) {
                    lane = _mm512_setzero_ps();
                }
            }
        }

        INKLING_INLINE void add(const q6_K_columns & block, const block_q8_K * const (&rows)[n_rows], int64_t b) {
            __m512i dots[n_rows][LANES];
            for (int row = 0; row < n_rows; row++) {
                for (int64_t lane = 0; lane < LANES; lane++) {
                    dots[row][lane] =
                        _mm512_dpwssd_epi32(_mm512_setzero_si512(), _mm512_load_si512(block.offsets[lane]),
                                            four_to_all(rows[row][b].bsums + 2 * lane));
                }
            }
#if defined(__GNUC__)
#pragma GCC unroll 1
#endif
            for (int64_t part = 0; part < PARTS; part++) {
#if defined(__GNUC__)
#pragma GCC unroll 8
#endif
                for (int64_t lane = 0; lane < LANES; lane++) {
                    const __m512i of_lane = _mm512_load_si512(block.values[part][lane]);
                    const __m512i scale   = _mm512_load_si512(block.scales[2 * part + lane / (LANES / 2)]);
                    for (int row = 0; row < n_rows; row++) {
                        const __m512i four     = four_to_all(rows[row][b].qs + 32 * part + 4 * lane);
                        // At most 4 x 63 x 128: the lower sixteen bits hold it.
                        const __m512i products = _mm512_dpbusd_epi32(_mm512_setzero_si512(), of_lane, four);
                        dots[row][lane]        = _mm512_dpwssd_epi32(dots[row][lane], products, scale);
                    }
                }
            }
            for (int row = 0; row < n_rows; row++) {
                const __m512 scale =
                    _mm512_mul_ps(_mm512_load_ps(block.scale_of_scales), _mm512_set1_ps(rows[row][b].d));
                for (int64_t lane = 0; lane < LANES; lane++) {
                    lanes[row][lane] = _mm512_fmadd_ps(scale, _mm512_cvtepi32_ps(dots[row][lane]), lanes[row][lane]);
                }
            }
        }

        // In the order of horizontal_sum.
        __m512 whole(int row) const {
            __m512 four[4];
            for (int64_t i = 0; i < 4; i++) {
                four[i] = _mm512_add_ps(lanes[row][i + 4], lanes[row][i]);
            }
            return _mm512_add_ps(_mm512_add_ps(four[0], four[2]), _mm512_add_ps(four[1], four[3]));
        }
    };
};

// Sixteen columns with n_rows rows of activations; `out` is where the first row's products begin. Strides as in
// inkling_row_product.
template <typename columns, int n_rows> void multiply_columns(const columns * blocks, int64_t n_blocks,
                                                              const void * activations, size_t activation_stride,
                                                              float * out, size_t out_stride) {
    const typename columns::activation *    rows[n_rows];
    typename columns::template sums<n_rows> sums;
    for (int row = 0; row < n_rows; row++) {
        rows[row] = reinterpret_cast<const typename columns::activation *>(static_cast<const char *>(activations) +
                                                                           row * activation_stride);
        // The lines to write are far apart, and reading them takes as long as the products.
        prefetch(out + row * (out_stride / sizeof(float)), 0);
    }
    for (int64_t b = 0; b < n_blocks; b++) {
        sums.add(blocks[b], rows, b);
    }
    for (int row = 0; row < n_rows; row++) {
        _mm512_storeu_ps(out + row * (out_stride / sizeof(float)), sums.whole(row));
    }
}

} // namespace inkling_kernels

#endif

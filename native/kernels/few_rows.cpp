#include "few_rows.h"

#include "ggml.h"

#define GGML_COMMON_DECL_CPP
#include "ggml-common.h"
#include "repack.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#include <immintrin.h>

#include <cstring>

namespace {

float to_float(ggml_half half) {
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half)));
}

// In ggml's order.
float horizontal_sum(__m256 x) {
    __m128 sum = _mm_add_ps(_mm256_extractf128_ps(x, 1), _mm256_castps256_ps128(x));
    sum        = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    sum        = _mm_add_ss(sum, _mm_movehdup_ps(sum));
    return _mm_cvtss_f32(sum);
}

// Sums of four neighbouring products, unsigned times signed.
__m256i dot_of_four(__m256i unsigned_bytes, __m256i signed_bytes) {
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
    return _mm256_dpbusd_epi32(_mm256_setzero_si256(), unsigned_bytes, signed_bytes);
#else
    return _mm256_madd_epi16(_mm256_maddubs_epi16(unsigned_bytes, signed_bytes), _mm256_set1_epi16(1));
#endif
}

__m256i load(const void * from) {
    return _mm256_loadu_si256(static_cast<const __m256i *>(from));
}

// Distance from what is read to what is prefetched. The processor's own prefetching stops at the end of each page, and
// one core alone then reads little more than half of what the memory gives. Beyond the last weight it does nothing.
constexpr size_t PREFETCH_BYTES_8x8 = 4608;
constexpr size_t PREFETCH_BYTES     = 2304;

void prefetch(const void * from, size_t ahead) {
    _mm_prefetch(static_cast<const char *>(from) + ahead, _MM_HINT_T0);
}

// Makes the compiler finish a sum before the next. In its own order it keeps more sums at a time than there are
// registers.
void settle([[maybe_unused]] __m256i & sum) {
#if defined(__GNUC__)
    // "x" would bar registers 16 to 31, which AVX-512 has.
    asm("" : "+v"(sum));
#endif
}

// Makes the compiler read weights again. It would keep all that it read, which is more than there are registers.
void forget_memory() {
#if defined(__GNUC__)
    asm volatile("" ::: "memory");
#endif
}

// The same eight bytes in each quarter.
__m256i load_eight(const int8_t * from) {
    int64_t bytes;
    std::memcpy(&bytes, from, sizeof(bytes));
    return _mm256_set1_epi64x(bytes);
}

// Six-bit scales and minimums of two neighbouring sub-blocks in eight columns, as block_q4_Kx8 packs each into twelve
// bytes: in each half of the result bytes 0 to 7 are the scales of the columns, bytes 8 to 15 their minimums.
__m256i unpack_scales(const uint8_t * packed) {
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

template <int n_rows> void few_rows_q4_K_8x8(const inkling_few_rows_product & product) {
    const auto         n_blocks    = static_cast<int>(product.n / QK_K);
    const auto         n_groups    = static_cast<int>(product.n_weights / 8);
    const size_t       out_width   = product.out_stride / sizeof(float);
    float * const      out         = product.out;
    const auto *       weights     = static_cast<const block_q4_Kx8 *>(product.weights);
    const auto * const activations = static_cast<const block_q8_K *>(product.activations);
    const __m256i      low_nibbles = _mm256_set1_epi8(0x0f);
    // Four times each: the sixteen-bit scale of columns 0 to 3, and of 4 to 7.
    const __m256i      scales_0123 = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, //
                                                      4, 5, 4, 5, 4, 5, 4, 5, 6, 7, 6, 7, 6, 7, 6, 7);
    const __m256i      scales_4567 = _mm256_add_epi8(scales_0123, _mm256_set1_epi8(8));
    // Columns in the order in which _mm256_hadd_epi32 leaves them: 0 1 4 5 2 3 6 7.
    const __m128i      sum_order   = _mm_setr_epi8(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);

    for (int group = 0; group < n_groups; group++, weights += n_blocks) {
        __m256 sums[n_rows];
        __m256 min_sums[n_rows];
        for (int row = 0; row < n_rows; row++) {
            sums[row]     = _mm256_setzero_ps();
            min_sums[row] = _mm256_setzero_ps();
        }

        for (int b = 0; b < n_blocks; b++) {
            const block_q4_Kx8 & block = weights[b];
            __m256i              dots_0123[n_rows];
            __m256i              dots_4567[n_rows];
            __m256i              mins[n_rows];
            alignas(16) int32_t  activation_sums[n_rows][4];
            for (int row = 0; row < n_rows; row++) {
                dots_0123[row] = dots_4567[row] = mins[row] = _mm256_setzero_si256();
                const __m256i of_16                         = load(activations[row * n_blocks + b].bsums);
                const __m128i of_32 = _mm_hadd_epi16(_mm256_castsi256_si128(of_16), _mm256_extracti128_si256(of_16, 1));
                _mm_store_si128(reinterpret_cast<__m128i *>(activation_sums[row]), of_32);
            }

            for (int pair = 0; pair < QK_K / 64; pair++) {
                const __m256i   packed = unpack_scales(block.scales + 24 * pair);
                const __m128i   even   = _mm256_castsi256_si128(packed);
                const __m128i   odd    = _mm256_extracti128_si256(packed, 1);
                const uint8_t * quants = block.qs + 256 * pair;
                for (size_t line = 0; line < sizeof(block_q4_Kx8) / (QK_K / 64); line += 64) {
                    prefetch(quants, PREFETCH_BYTES_8x8 + line);
                }

                const __m256i both_mins = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(even, odd));
                for (int row = 0; row < n_rows; row++) {
                    const __m256i both_sums = _mm256_set1_epi32(activation_sums[row][pair]);
                    mins[row]               = _mm256_add_epi32(mins[row], _mm256_madd_epi16(both_sums, both_mins));
                }

                for (int high = 0; high < 2; high++) {
                    forget_memory();
                    __m256i products_0123[n_rows];
                    __m256i products_4567[n_rows];
                    for (int eighth = 0; eighth < 4; eighth++) {
                        __m256i columns_0123 = load(quants + 64 * eighth);
                        __m256i columns_4567 = load(quants + 64 * eighth + 32);
                        if (high) {
                            columns_0123 = _mm256_srli_epi16(columns_0123, 4);
                            columns_4567 = _mm256_srli_epi16(columns_4567, 4);
                        }
                        columns_0123 = _mm256_and_si256(columns_0123, low_nibbles);
                        columns_4567 = _mm256_and_si256(columns_4567, low_nibbles);
                        for (int row = 0; row < n_rows; row++) {
                            const __m256i values =
                                load_eight(activations[row * n_blocks + b].qs + 64 * pair + 32 * high + 8 * eighth);
                            // At most 4 x 2 x 15 x 127: sixteen bits hold it.
                            const __m256i product_0123 = _mm256_maddubs_epi16(columns_0123, values);
                            const __m256i product_4567 = _mm256_maddubs_epi16(columns_4567, values);
                            products_0123[row] =
                                eighth == 0 ? product_0123 : _mm256_add_epi16(products_0123[row], product_0123);
                            products_4567[row] =
                                eighth == 0 ? product_4567 : _mm256_add_epi16(products_4567[row], product_4567);
                            settle(products_0123[row]);
                            settle(products_4567[row]);
                        }
                    }
                    const __m256i scales     = _mm256_broadcastsi128_si256(_mm_cvtepu8_epi16(high ? odd : even));
                    const __m256i scale_0123 = _mm256_shuffle_epi8(scales, scales_0123);
                    const __m256i scale_4567 = _mm256_shuffle_epi8(scales, scales_4567);
                    for (int row = 0; row < n_rows; row++) {
                        dots_0123[row] =
                            _mm256_add_epi32(dots_0123[row], _mm256_madd_epi16(products_0123[row], scale_0123));
                        dots_4567[row] =
                            _mm256_add_epi32(dots_4567[row], _mm256_madd_epi16(products_4567[row], scale_4567));
                        settle(dots_0123[row]);
                        settle(dots_4567[row]);
                    }
                }
            }

            const __m128i halves     = _mm_loadu_si128(reinterpret_cast<const __m128i *>(block.d));
            const __m128i min_halves = _mm_loadu_si128(reinterpret_cast<const __m128i *>(block.dmin));
            const __m256  scale      = _mm256_cvtph_ps(_mm_shuffle_epi8(halves, sum_order));
            const __m256  min_scale  = _mm256_cvtph_ps(min_halves);
            for (int row = 0; row < n_rows; row++) {
                const __m256 row_scale = _mm256_set1_ps(activations[row * n_blocks + b].d);
                const __m256 dots      = _mm256_cvtepi32_ps(_mm256_hadd_epi32(dots_0123[row], dots_4567[row]));
                sums[row]              = _mm256_fmadd_ps(dots, _mm256_mul_ps(scale, row_scale), sums[row]);
                min_sums[row] =
                    _mm256_fmadd_ps(_mm256_cvtepi32_ps(mins[row]), _mm256_mul_ps(min_scale, row_scale), min_sums[row]);
            }
        }

        for (int row = 0; row < n_rows; row++) {
            const __m256 in_order =
                _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(sums[row]), _MM_SHUFFLE(3, 1, 2, 0)));
            _mm256_storeu_ps(out + row * out_width + 8 * group, _mm256_sub_ps(in_order, min_sums[row]));
        }
    }
}

template <typename T> const T * row_at(const void * rows, size_t stride, int64_t row) {
    return reinterpret_cast<const T *>(static_cast<const char *>(rows) + row * stride);
}

template <typename T> T * row_at(void * rows, size_t stride, int64_t row) {
    return reinterpret_cast<T *>(static_cast<char *>(rows) + row * stride);
}

// In values. Four rows side by side were measured slower at 2,560 and faster at 51,200.
constexpr int64_t LONG_ROW = 16384;

template <int n_rows> struct q8_0_rows {
    static constexpr int block_length = QK8_0;
    // Long rows of weights that are read side by side. Their activations do not fit into the nearest cache, and are
    // read once for all of these rows.
    static constexpr int together     = 4;
    using weight                      = block_q8_0;
    using activation                  = block_q8_0;

    static void add(__m256 (&sums)[n_rows], const block_q8_0 & block, const block_q8_0 * const (&rows)[n_rows],
                    int64_t b) {
        const __m256i weights    = load(block.qs);
        const __m256i magnitudes = _mm256_sign_epi8(weights, weights);
        const float   scale      = to_float(block.d);
        for (int row = 0; row < n_rows; row++) {
            const block_q8_0 & values = rows[row][b];
            const __m256i      dots   = dot_of_four(magnitudes, _mm256_sign_epi8(load(values.qs), weights));
            sums[row] =
                _mm256_fmadd_ps(_mm256_set1_ps(scale * to_float(values.d)), _mm256_cvtepi32_ps(dots), sums[row]);
        }
    }
};

template <int n_rows> struct q6_K_rows {
    static constexpr int block_length = QK_K;
    // Unpacking takes longer than reading the activations.
    static constexpr int together     = 1;
    using weight                      = block_q6_K;
    using activation                  = block_q8_K;

    static void add(__m256 (&sums)[n_rows], const block_q6_K & block, const block_q8_K * const (&rows)[n_rows],
                    int64_t b) {
        const __m128i scales    = _mm_loadu_si128(reinterpret_cast<const __m128i *>(block.scales));
        // The values are stored as 0 to 63 and mean -32 to 31; the difference is 32 times the scaled sum.
        const __m256i scales_16 = _mm256_cvtepi8_epi16(scales);
        __m256i       dots[n_rows];
        for (int row = 0; row < n_rows; row++) {
            const __m256i offset = _mm256_slli_epi32(_mm256_madd_epi16(load(rows[row][b].bsums), scales_16), 5);
            dots[row]            = _mm256_sub_epi32(_mm256_setzero_si256(), offset);
        }
        for (int half = 0; half < 2; half++) {
            const __m256i low[2]      = {load(block.ql + 64 * half), load(block.ql + 64 * half + 32)};
            const __m256i high        = load(block.qh + 32 * half);
            const __m256i low_nibbles = _mm256_set1_epi8(0x0f);
            const __m256i two_bits    = _mm256_set1_epi8(0x30);
            for (int quarter = 0; quarter < 4; quarter++) {
                const __m256i nibbles =
                    _mm256_and_si256(quarter < 2 ? low[quarter] : _mm256_srli_epi16(low[quarter - 2], 4), low_nibbles);
                const __m256i moved  = quarter == 0   ? _mm256_slli_epi16(high, 4)
                                       : quarter == 1 ? _mm256_slli_epi16(high, 2)
                                       : quarter == 2 ? high
                                                      : _mm256_srli_epi16(high, 2);
                const __m256i values = _mm256_or_si256(nibbles, _mm256_and_si256(moved, two_bits));
                // Sixteen values share a scale: the first half of the register one, the second half the next.
                const __m128i picked =
                    _mm_shuffle_epi8(scales, _mm_add_epi8(_mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1),
                                                          _mm_set1_epi8(static_cast<char>(8 * half + 2 * quarter))));
                const __m256i scale = _mm256_cvtepi8_epi16(picked);
                for (int row = 0; row < n_rows; row++) {
                    const __m256i products =
                        _mm256_maddubs_epi16(values, load(rows[row][b].qs + 128 * half + 32 * quarter));
                    dots[row] = _mm256_add_epi32(dots[row], _mm256_madd_epi16(scale, products));
                    settle(dots[row]);
                }
            }
        }
        const float scale = to_float(block.d);
        for (int row = 0; row < n_rows; row++) {
            sums[row] =
                _mm256_fmadd_ps(_mm256_set1_ps(rows[row][b].d * scale), _mm256_cvtepi32_ps(dots[row]), sums[row]);
        }
    }
};

// Rows w to w + n_together of the weights.
template <typename rows_of, int n_together, int n_rows>
void few_rows_at(int64_t w, const inkling_few_rows_product & product,
                 const typename rows_of::activation * const (&rows)[n_rows]) {
    const int64_t                    n_blocks = product.n / rows_of::block_length;
    const typename rows_of::weight * blocks[n_together];
    __m256                           sums[n_together][n_rows];
    for (int i = 0; i < n_together; i++) {
        blocks[i] = row_at<typename rows_of::weight>(product.weights, product.weight_stride, w + i);
        for (int row = 0; row < n_rows; row++) {
            sums[i][row] = _mm256_setzero_ps();
        }
    }
    for (int64_t b = 0; b < n_blocks; b++) {
        for (int i = 0; i < n_together; i++) {
            for (size_t line = 0; line < sizeof(blocks[i][b]); line += 64) {
                prefetch(&blocks[i][b], PREFETCH_BYTES + line);
            }
            rows_of::add(sums[i], blocks[i][b], rows, b);
        }
    }
    for (int i = 0; i < n_together; i++) {
        for (int row = 0; row < n_rows; row++) {
            row_at<float>(product.out, product.out_stride, row)[w + i] = horizontal_sum(sums[i][row]);
        }
    }
}

template <template <int> class kernel, int n_rows> void few_rows(const inkling_few_rows_product & product) {
    using rows_of = kernel<n_rows>;
    const typename rows_of::activation * rows[n_rows];
    for (int row = 0; row < n_rows; row++) {
        rows[row] = row_at<typename rows_of::activation>(product.activations, product.activation_stride, row);
    }
    int64_t w = 0;
    // For short rows the memory prefers one row after the other.
    for (; product.n >= LONG_ROW && w + rows_of::together <= product.n_weights; w += rows_of::together) {
        few_rows_at<rows_of, rows_of::together>(w, product, rows);
    }
    for (; w < product.n_weights; w++) {
        few_rows_at<rows_of, 1>(w, product, rows);
    }
}

template <template <int> class kernel> bool few_rows_of(const inkling_few_rows_product & product) {
    switch (product.n_rows) {
        case 1: few_rows<kernel, 1>(product); return true;
        case 2: few_rows<kernel, 2>(product); return true;
        case 3: few_rows<kernel, 3>(product); return true;
        default: return false;
    }
}

} // namespace

bool inkling_few_rows_q4_K_8x8(const inkling_few_rows_product * product) {
    switch (product->n_rows) {
        case 1: few_rows_q4_K_8x8<1>(*product); return true;
        case 2: few_rows_q4_K_8x8<2>(*product); return true;
        case 3: few_rows_q4_K_8x8<3>(*product); return true;
        default: return false;
    }
}

bool inkling_few_rows(int type, const inkling_few_rows_product * product) {
    switch (type) {
        case GGML_TYPE_Q8_0: return few_rows_of<q8_0_rows>(*product);
        case GGML_TYPE_Q6_K: return few_rows_of<q6_K_rows>(*product);
        default: return false;
    }
}

#else

bool inkling_few_rows_q4_K_8x8(const inkling_few_rows_product *) {
    return false;
}

bool inkling_few_rows(int, const inkling_few_rows_product *) {
    return false;
}

#endif

#include "interleaved_q8_0.h"

#include "ggml.h"

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

#include "unpacked_weights.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace {

using namespace inkling_kernels;

constexpr int64_t COLUMNS = INKLING_COLUMNS;
constexpr int64_t FOURS   = QK8_0 / 4;

// 32 values of a row.
struct activations {
    float   scale;
    // Takes away what the weights have too much: their values are stored as 1 to 255 and mean -127 to 127.
    int32_t offset;
    int8_t  values[QK8_0];
};

// 32 values of sixteen columns, four of each column at a time.
using weights = uint8_t[FOURS][COLUMNS][4];

// The scales of all blocks come first, so that values begin at lines of the cache.
struct group {
    const ggml_half (*scales)[COLUMNS];
    const weights * values;

    group(const void * at, int64_t n_blocks)
        : scales(static_cast<const ggml_half (*)[COLUMNS]>(at)),
          values(reinterpret_cast<const weights *>(scales + n_blocks)) {}
};

constexpr uint32_t SIGNS = 0x80808080;

template <int n_rows> void multiply(const group & columns, int64_t n_blocks, const char * rows, size_t row_stride,
                                    float * out, size_t out_width) {
    const activations * blocks[n_rows];
    __m512              sums[n_rows];
    for (int row = 0; row < n_rows; row++) {
        blocks[row] = reinterpret_cast<const activations *>(rows + row * row_stride);
        sums[row]   = _mm512_setzero_ps();
    }
    for (int64_t b = 0; b < n_blocks; b++) {
        __m512i fours[FOURS];
        for (int64_t i = 0; i < FOURS; i++) {
            fours[i] = _mm512_loadu_si512(columns.values[b][i]);
            prefetch(columns.values[b][i], PREFETCH_BYTES_8x8);
        }
        const __m512 scales = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(columns.scales[b])));
#if defined(__GNUC__)
#pragma GCC unroll 8
#endif
        for (int row = 0; row < n_rows; row++) {
            const activations & of_row = blocks[row][b];
            __m512i             dots   = _mm512_set1_epi32(of_row.offset);
            __m512i             others = _mm512_setzero_si512();
            for (int64_t i = 0; i < FOURS; i += 2) {
                dots   = _mm512_dpbusd_epi32(dots, fours[i], four_to_all(of_row.values + 4 * i));
                others = _mm512_dpbusd_epi32(others, fours[i + 1], four_to_all(of_row.values + 4 * i + 4));
            }
            const __m512 scale = _mm512_mul_ps(scales, _mm512_set1_ps(of_row.scale));
            sums[row]          = _mm512_fmadd_ps(scale, _mm512_cvtepi32_ps(_mm512_add_epi32(dots, others)), sums[row]);
        }
    }
    for (int row = 0; row < n_rows; row++) {
        _mm512_storeu_ps(out + row * out_width, sums[row]);
    }
}

// As many rows at a time as there are registers for.
template <int n_rows = INKLING_FEW_ROWS> void multiply_few(int64_t count, const group & columns, int64_t n_blocks,
                                                           const char * rows, size_t row_stride, float * out,
                                                           size_t out_width) {
    if (count >= n_rows) {
        multiply<n_rows>(columns, n_blocks, rows, row_stride, out, out_width);
    } else if constexpr (n_rows > 1) {
        multiply_few<n_rows - 1>(count, columns, n_blocks, rows, row_stride, out, out_width);
    }
}

} // namespace

bool inkling_interleaves_q8_0(void) {
    return true;
}

void inkling_interleave_q8_0(void * groups, const void * rows, int64_t n, int64_t n_rows) {
    const int64_t n_blocks = n / QK8_0;
    for (int64_t first = 0; first < n_rows; first += COLUMNS) {
        const auto * from   = static_cast<const block_q8_0 *>(rows) + first * n_blocks;
        auto * const scales = reinterpret_cast<ggml_half *>(static_cast<block_q8_0 *>(groups) + first * n_blocks);
        auto *       to     = reinterpret_cast<uint8_t *>(scales + n_blocks * COLUMNS);
        for (int64_t b = 0; b < n_blocks; b++) {
            for (int64_t column = 0; column < COLUMNS; column++) {
                scales[b * COLUMNS + column] = from[column * n_blocks + b].d;
            }
            for (int64_t four = 0; four < FOURS; four++) {
                for (int64_t column = 0; column < COLUMNS; column++, to += sizeof(uint32_t)) {
                    uint32_t values;
                    std::memcpy(&values, from[column * n_blocks + b].qs + 4 * four, sizeof(values));
                    values ^= SIGNS;
                    std::memcpy(to, &values, sizeof(values));
                }
            }
        }
    }
}

size_t inkling_q8_0_activation_bytes(int64_t n) {
    return static_cast<size_t>(n / QK8_0) * sizeof(activations);
}

void inkling_q8_0_activations(const float * values, void * row, int64_t n) {
    auto * const out = static_cast<activations *>(row);
    for (int64_t b = 0; b < n / QK8_0; b++, values += QK8_0) {
        const __m512 first   = _mm512_loadu_ps(values);
        const __m512 second  = _mm512_loadu_ps(values + QK8_0 / 2);
        const float  most    = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(first), _mm512_abs_ps(second)));
        const __m512 inverse = _mm512_set1_ps(most != 0.0F ? 127.0F / most : 0.0F);
        const auto   rounded = [&](__m512 half) {
            return _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(_mm512_mul_ps(half, inverse)));
        };
        const __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(rounded(first)), rounded(second), 1);
        const __m256i sums  = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(1), bytes);
        // As ggml stores it: half precision.
        const __m128i half  = _mm_cvtps_ph(_mm_set_ss(most / 127.0F), _MM_FROUND_TO_NEAREST_INT);
        out[b].scale        = _mm_cvtss_f32(_mm_cvtph_ps(half));
        out[b].offset       = -128 * _mm512_reduce_add_epi32(_mm512_zextsi256_si512(sums));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(out[b].values), bytes);
    }
}

void inkling_multiply_interleaved_q8_0(const inkling_row_product * product) {
    const int64_t n_blocks = product->n / QK8_0;
    for (int64_t w = 0; w < product->n_weights; w += COLUMNS) {
        const group columns(static_cast<const char *>(product->weights) + w * product->weight_stride, n_blocks);
        for (int64_t row = 0; row < product->n_rows; row += INKLING_FEW_ROWS) {
            const size_t out_width = product->out_stride / sizeof(float);
            multiply_few(product->n_rows - row, columns, n_blocks,
                         static_cast<const char *>(product->activations) + row * product->activation_stride,
                         product->activation_stride, product->out + row * out_width + w, out_width);
        }
    }
}

#else

bool inkling_interleaves_q8_0(void) {
    return false;
}

void inkling_interleave_q8_0(void *, const void *, int64_t, int64_t) {}

size_t inkling_q8_0_activation_bytes(int64_t) {
    return 0;
}

void inkling_q8_0_activations(const float *, void *, int64_t) {}

void inkling_multiply_interleaved_q8_0(const inkling_row_product *) {}

#endif

#include "row_products.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#include "interleaved_q4_K.h"
#include "paired_weights.h"
#include "unpacked_weights.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace {

using namespace inkling_kernels;

template <typename T> const T * row_at(const void * rows, size_t stride, int64_t row) {
    return reinterpret_cast<const T *>(static_cast<const char *>(rows) + row * stride);
}

template <typename T> T * row_at(void * rows, size_t stride, int64_t row) {
    return reinterpret_cast<T *>(static_cast<char *>(rows) + row * stride);
}

// In values. Rows side by side were measured slower at 2,560 and faster at 51,200.
constexpr int64_t LONG_ROW = 16384;

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
            const block_q8_K & values = rows[row][b];
            const __m256i      of_16  = load(values.bsums);
            const __m128i of_32    = _mm_hadd_epi16(_mm256_castsi256_si128(of_16), _mm256_extracti128_si256(of_16, 1));
            __m128i       minimums = _mm_madd_epi16(of_sub_blocks.minimums, of_32);
            minimums               = _mm_add_epi32(minimums, _mm_shuffle_epi32(minimums, _MM_SHUFFLE(1, 0, 3, 2)));
            minimums               = _mm_add_epi32(minimums, _mm_shuffle_epi32(minimums, _MM_SHUFFLE(2, 3, 0, 1)));
            sums[row].minimum =
                std::fma(-values.d * minimum_scale, static_cast<float>(_mm_cvtsi128_si32(minimums)), sums[row].minimum);
            sums[row].add(values.d * scale, dots[row].sums());
        }
    }
};

// Rows w to w + n_together of the weights.
template <typename rows_of, int n_together, int n_rows>
void multiply_at(int64_t w, const inkling_row_product & product,
                 const typename rows_of::activation * const (&rows)[n_rows]) {
    const int64_t                    n_blocks = product.n / rows_of::block_length;
    const typename rows_of::weight * blocks[n_together];
    typename rows_of::sum            sums[n_together][n_rows];
    for (int i = 0; i < n_together; i++) {
        blocks[i] = row_at<typename rows_of::weight>(product.weights, product.weight_stride, w + i);
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
            row_at<float>(product.out, product.out_stride, row)[w + i] = sums[i][row].whole();
        }
    }
}

#if defined(INKLING_VNNI)

// The kernel for two rows of weights side by side, where there is one.
template <typename rows_of> struct pairs_of {
    using kernel = void;
};
template <int n_rows> struct pairs_of<q8_0_rows<n_rows>> {
    using kernel = q8_0_pairs<n_rows>;
};
template <int n_rows> struct pairs_of<q6_K_rows<n_rows>> {
    using kernel = q6_K_pairs<n_rows>;
};

// Prefetches for rows of weights that are multiplied at the same time, at their block b.
template <typename pairs, int n_weights>
INKLING_INLINE inline void prefetch_blocks(const inkling_row_product & product,
                                           const typename pairs::weight * const (&weights)[n_weights], int64_t b) {
    constexpr size_t size  = sizeof(typename pairs::weight);
    const size_t     group = n_weights * product.weight_stride;
    if (group <= pairs::in_order) {
        // In the order of memory, whatever the order in which the blocks are needed.
        for (size_t line = 0; line < n_weights * size; line += 64) {
            prefetch(weights[0], group + PREFETCH_BYTES + b * n_weights * size + line);
        }
        return;
    }
    // What follows the end of a row is the row beside it, which is read at this moment.
    const bool   within = b + static_cast<int64_t>(PREFETCH_BYTES / size) < product.n / pairs::block_length;
    const size_t ahead  = PREFETCH_BYTES + (within ? 0 : group - product.weight_stride);
    for (const auto * row : weights) {
        for (size_t line = 0; line < size; line += 64) {
            prefetch(&row[b], ahead + line);
        }
    }
}

// Rows w to w + 2 * together of the weights.
template <typename pairs, int n_rows> void multiply_pairs_at(int64_t w, const inkling_row_product & product,
                                                             const typename pairs::activation * const (&rows)[n_rows]) {
    constexpr int                  n_weights = 2 * pairs::together;
    const int64_t                  n_blocks  = product.n / pairs::block_length;
    const typename pairs::weight * weights[n_weights];
    __m512                         sums[pairs::together][n_rows];
    for (int i = 0; i < n_weights; i++) {
        weights[i] = row_at<typename pairs::weight>(product.weights, product.weight_stride, w + i);
    }
    for (auto & of_pair : sums) {
        for (__m512 & sum : of_pair) {
            sum = _mm512_setzero_ps();
        }
    }
    for (int64_t b = 0; b < n_blocks; b++) {
        prefetch_blocks<pairs>(product, weights, b);
        pairs::add(sums, weights, rows, b);
    }
    for (int64_t pair = 0; pair < pairs::together; pair++) {
        for (int row = 0; row < n_rows; row++) {
            float * const out = row_at<float>(product.out, product.out_stride, row) + w + 2 * pair;
            out[0]            = horizontal_sum(_mm512_castps512_ps256(sums[pair][row]));
            out[1]            = horizontal_sum(_mm512_extractf32x8_ps(sums[pair][row], 1));
        }
    }
}

#endif

template <template <int> class kernel, int n_rows> void multiply(const inkling_row_product & product) {
    using rows_of = kernel<n_rows>;
    const typename rows_of::activation * rows[n_rows];
    for (int row = 0; row < n_rows; row++) {
        rows[row] = row_at<typename rows_of::activation>(product.activations, product.activation_stride, row);
    }
    int64_t w = 0;
#if defined(INKLING_VNNI)
    using pairs = typename pairs_of<rows_of>::kernel;
    if constexpr (!std::is_void_v<pairs>) {
        for (; w + 2 * pairs::together <= product.n_weights; w += 2 * pairs::together) {
            multiply_pairs_at<pairs>(w, product, rows);
        }
    }
#endif
    // For short rows the memory prefers one row after the other.
    for (; product.n >= LONG_ROW && w + rows_of::together <= product.n_weights; w += rows_of::together) {
        multiply_at<rows_of, rows_of::together>(w, product, rows);
    }
    for (; w < product.n_weights; w++) {
        multiply_at<rows_of, 1>(w, product, rows);
    }
}

// Calls multiply with the number of rows as a constant. Returns false if there are none, or too many.
template <int most = INKLING_FEW_ROWS, typename function>
bool with_row_count(int64_t n_rows, const function & multiply) {
    if (n_rows == most) {
        multiply(std::integral_constant<int, most>());
        return true;
    }
    if constexpr (most > 1) {
        return with_row_count<most - 1>(n_rows, multiply);
    }
    return false;
}

// Weights that stay in the second cache while all rows are multiplied with them.
constexpr size_t TILE_BYTES = size_t{128} * 1024;

// Multiplies eight rows at a time. Returns false, having done nothing, if there is no kernel or no row.
template <typename function> bool in_tiles(const inkling_row_product & whole, const function & multiply) {
    // Groups of eight are not divided.
    const auto    fitting = static_cast<int64_t>(TILE_BYTES / whole.weight_stride) / 8 * 8;
    const bool    is_few  = whole.n_rows <= INKLING_FEW_ROWS;
    const int64_t at_once = is_few ? whole.n_weights : std::max<int64_t>(8, fitting);
    bool          is_done = whole.n_rows > 0;
    for (int64_t w = 0; w < whole.n_weights && is_done; w += at_once) {
        for (int64_t row = 0; row < whole.n_rows && is_done; row += INKLING_FEW_ROWS) {
            inkling_row_product tile = whole;
            tile.n_weights           = std::min(at_once, whole.n_weights - w);
            tile.n_rows              = std::min<int64_t>(INKLING_FEW_ROWS, whole.n_rows - row);
            tile.weights             = row_at<char>(whole.weights, whole.weight_stride, w);
            tile.activations         = row_at<char>(whole.activations, whole.activation_stride, row);
            tile.out                 = row_at<float>(whole.out, whole.out_stride, row) + w;
            is_done                  = multiply(tile);
        }
    }
    return is_done;
}

} // namespace

bool inkling_multiplies_q4_K_8x8(void) {
    return true;
}

bool inkling_multiply_q4_K_8x8(const inkling_row_product * product) {
    return in_tiles(*product, [](const inkling_row_product & tile) {
        return with_row_count(tile.n_rows, [&](auto n_rows) { multiply_q4_K_8x8<n_rows>(tile); });
    });
}

bool inkling_multiply_rows(int type, const inkling_row_product * product) {
    switch (type) {
        case GGML_TYPE_Q8_0:
            return with_row_count(product->n_rows, [&](auto n_rows) { multiply<q8_0_rows, n_rows>(*product); });
        case GGML_TYPE_Q5_K:
            return in_tiles(*product, [](const inkling_row_product & tile) {
                return with_row_count(tile.n_rows, [&](auto n_rows) { multiply<q5_K_rows, n_rows>(tile); });
            });
        case GGML_TYPE_Q6_K:
            return in_tiles(*product, [](const inkling_row_product & tile) {
                return with_row_count(tile.n_rows, [&](auto n_rows) { multiply<q6_K_rows, n_rows>(tile); });
            });
        default: return false;
    }
}

#else

bool inkling_multiplies_q4_K_8x8(void) {
    return false;
}

bool inkling_multiply_q4_K_8x8(const inkling_row_product *) {
    return false;
}

bool inkling_multiply_rows(int, const inkling_row_product *) {
    return false;
}

#endif

#include "row_products.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#include "interleaved_q4_K.h"
#include "many_rows.h"
#include "paired_weights.h"
#include "single_weights.h"
#include "unpacked_weights.h"

#include <algorithm>
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

// The product without its first weights.
inkling_row_product after(int64_t n_weights, inkling_row_product product) {
    product.weights = row_at<char>(product.weights, product.weight_stride, n_weights);
    product.out += n_weights;
    product.n_weights -= n_weights;
    return product;
}

#if defined(INKLING_VNNI)

// Multiplies whole groups of sixteen columns, and returns what is left. unpack(block, w, b) unpacks block b of the
// columns from w on.
template <typename columns, typename function>
inkling_row_product with_columns(const inkling_row_product & whole, const function & unpack) {
    if (whole.n_rows < columns::worthwhile) {
        return whole;
    }
    const int64_t   n_blocks = whole.n / QK_K;
    columns * const blocks   = room_for<columns>(n_blocks);
    int64_t         w        = 0;
    for (; w + COLUMNS <= whole.n_weights; w += COLUMNS) {
        for (int64_t b = 0; b < n_blocks; b++) {
            unpack(blocks[b], w, b);
        }
        for (int64_t row = 0; row < whole.n_rows; row += columns::together) {
            const void * activations = row_at<char>(whole.activations, whole.activation_stride, row);
            float *      out         = row_at<float>(whole.out, whole.out_stride, row) + w;
            with_row_count<columns::together>(
                std::min<int64_t>(columns::together, whole.n_rows - row), [&](auto n_rows) {
                    multiply_columns<columns, n_rows>(blocks, n_blocks, activations, whole.activation_stride, out,
                                                      whole.out_stride);
                });
        }
    }
    return after(w, whole);
}

inkling_row_product with_columns_q4_K(const inkling_row_product & whole) {
    const int64_t n_blocks = whole.n / QK_K;
    return with_columns<q4_K_columns>(whole, [&](q4_K_columns & columns, int64_t w, int64_t b) {
        const auto * group = row_at<block_q4_Kx8>(whole.weights, whole.weight_stride, w) + b;
        columns.unpack(group[0], group[n_blocks]);
    });
}

inkling_row_product with_columns_q6_K(const inkling_row_product & whole) {
    return with_columns<q6_K_columns>(whole, [&](q6_K_columns & columns, int64_t w, int64_t b) {
        columns.unpack(row_at<block_q6_K>(whole.weights, whole.weight_stride, w) + b, whole.weight_stride);
    });
}

#else

inkling_row_product with_columns_q4_K(const inkling_row_product & whole) {
    return whole;
}

inkling_row_product with_columns_q6_K(const inkling_row_product & whole) {
    return whole;
}

#endif

} // namespace

bool inkling_multiplies_q4_K_8x8(void) {
    return true;
}

bool inkling_multiply_q4_K_8x8(const inkling_row_product * product) {
    return in_tiles(with_columns_q4_K(*product), [](const inkling_row_product & tile) {
        return with_row_count(tile.n_rows, [&](auto n_rows) { multiply_q4_K_8x8<n_rows>(tile); });
    });
}

bool inkling_takes_many_rows(int type, int64_t n_rows) {
#if defined(INKLING_VNNI)
    return (type == GGML_TYPE_Q4_K && n_rows >= q4_K_columns::worthwhile) ||
           (type == GGML_TYPE_Q6_K && n_rows >= q6_K_columns::worthwhile);
#else
    (void) type;
    (void) n_rows;
    return false;
#endif
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
            return in_tiles(with_columns_q6_K(*product), [](const inkling_row_product & tile) {
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

bool inkling_takes_many_rows(int, int64_t) {
    return false;
}

bool inkling_multiply_rows(int, const inkling_row_product *) {
    return false;
}

#endif

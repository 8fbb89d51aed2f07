#include "concatenation.h"

#include "ggml.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include "transpose.h"
#endif

namespace {

// A line of the cache. Rows of a transposed matrix lie side by side: so many are copied at a time.
constexpr int64_t ROWS = 16;

const char * row_of(const ggml_tensor * tensor, int64_t i1, int64_t i2, int64_t i3) {
    return static_cast<const char *>(tensor->data) + i1 * tensor->nb[1] + i2 * tensor->nb[2] + i3 * tensor->nb[3];
}

// Copies values of rows that lie side by side, as far as there are whole squares, and returns how many of each row.
int64_t copy_squares([[maybe_unused]] const char * from, [[maybe_unused]] const ggml_tensor * source,
                     [[maybe_unused]] char * to, [[maybe_unused]] const ggml_tensor * result) {
    int64_t i = 0;
#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
    using inkling_kernels::lanes;
    constexpr int64_t width = lanes::width;
    for (; i + width <= source->ne[0]; i += width) {
        for (int64_t row = 0; row < ROWS; row += width) {
            lanes square[width];
            for (int64_t lane = 0; lane < width; lane++) {
                const char * values = from + (i + lane) * source->nb[0] + row * sizeof(float);
                square[lane]        = lanes::load(reinterpret_cast<const float *>(values));
                // The values of a row are farther apart than the processor looks ahead by itself.
                _mm_prefetch(values + width * source->nb[0], _MM_HINT_T0);
            }
            transpose(square);
            for (int64_t lane = 0; lane < width; lane++) {
                square[lane].store(reinterpret_cast<float *>(to + (row + lane) * result->nb[1] + i * sizeof(float)));
            }
        }
    }
#endif
    return i;
}

void copy_rows(const char * from, const ggml_tensor * source, char * to, const ggml_tensor * result, int64_t rows) {
    if (source->nb[0] == sizeof(float)) {
        for (int64_t row = 0; row < rows; row++) {
            std::memcpy(to + row * result->nb[1], from + row * source->nb[1], source->ne[0] * sizeof(float));
        }
        return;
    }
    const bool are_adjacent = rows == ROWS && source->nb[1] == sizeof(float);
    for (int64_t i = are_adjacent ? copy_squares(from, source, to, result) : 0; i < source->ne[0]; i++) {
        for (int64_t row = 0; row < rows; row++) {
            std::memcpy(to + row * result->nb[1] + i * sizeof(float), from + row * source->nb[1] + i * source->nb[0],
                        sizeof(float));
        }
    }
}

} // namespace

void inkling_concatenate_rows(const ggml_tensor * result, int thread, int threads) {
    const ggml_tensor * left  = result->src[0];
    const ggml_tensor * right = result->src[1];
    const int64_t       share = (result->ne[1] + threads - 1) / threads;
    const int64_t       first = share * thread;
    const int64_t       end   = std::min(first + share, result->ne[1]);
    for (int64_t i3 = 0; i3 < result->ne[3]; i3++) {
        for (int64_t i2 = 0; i2 < result->ne[2]; i2++) {
            char * const matrix = static_cast<char *>(result->data) + i2 * result->nb[2] + i3 * result->nb[3];
            for (int64_t row = first; row < end; row += ROWS) {
                const int64_t rows = std::min(ROWS, end - row);
                char * const  to   = matrix + row * result->nb[1];
                copy_rows(row_of(left, row, i2, i3), left, to, result, rows);
                copy_rows(row_of(right, row, i2, i3), right, to + left->ne[0] * sizeof(float), result, rows);
            }
        }
    }
}

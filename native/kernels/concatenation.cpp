#include "concatenation.h"

#include "ggml.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace {

// A line of the cache. Rows of a transposed matrix lie side by side: so many are copied at a time.
constexpr int64_t ROWS = 16;

const char * row_of(const ggml_tensor * tensor, int64_t i1, int64_t i2, int64_t i3) {
    return static_cast<const char *>(tensor->data) + i1 * tensor->nb[1] + i2 * tensor->nb[2] + i3 * tensor->nb[3];
}

void copy_rows(const char * from, const ggml_tensor * source, char * to, const ggml_tensor * result, int64_t rows) {
    if (source->nb[0] == sizeof(float)) {
        for (int64_t row = 0; row < rows; row++) {
            std::memcpy(to + row * result->nb[1], from + row * source->nb[1], source->ne[0] * sizeof(float));
        }
        return;
    }
    for (int64_t i = 0; i < source->ne[0]; i++) {
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

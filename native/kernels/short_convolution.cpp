#include "short_convolution.h"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace {

constexpr int LANES    = 8;
// A line of the cache, so that each line of the result is written once.
constexpr int CHANNELS = 16;

template <typename T> T * row_at(T * rows, size_t stride, int64_t row) {
    using byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return reinterpret_cast<T *>(reinterpret_cast<byte *>(rows) + row * stride);
}

// Columns become rows.
void transpose(__m256 (&rows)[LANES]) {
    __m256 pairs[LANES];
    for (int i = 0; i < LANES; i += 2) {
        pairs[i]     = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
    }
    __m256 fours[LANES];
    for (int i = 0; i < LANES; i += 4) {
        fours[i]     = _mm256_shuffle_ps(pairs[i], pairs[i + 2], _MM_SHUFFLE(1, 0, 1, 0));
        fours[i + 1] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], _MM_SHUFFLE(3, 2, 3, 2));
        fours[i + 2] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], _MM_SHUFFLE(1, 0, 1, 0));
        fours[i + 3] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], _MM_SHUFFLE(3, 2, 3, 2));
    }
    for (int i = 0; i < 4; i++) {
        rows[i]     = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
        rows[i + 4] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
    }
}

// Eight tokens of eight channels.
void convolve_block(const inkling_short_convolution & whole, int64_t channel, int64_t token) {
    __m256 sums[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        const float * input   = row_at(whole.input, whole.input_stride, channel + lane) + token;
        const float * weights = whole.weights + (channel + lane) * whole.n_taps;
        sums[lane]            = _mm256_setzero_ps();
        for (int64_t tap = 0; tap < whole.n_taps; tap++) {
            sums[lane] = _mm256_fmadd_ps(_mm256_loadu_ps(input + tap), _mm256_set1_ps(weights[tap]), sums[lane]);
        }
    }
    transpose(sums);
    for (int lane = 0; lane < LANES; lane++) {
        _mm256_storeu_ps(row_at(whole.out, whole.out_stride, token + lane) + channel, sums[lane]);
    }
}

void convolve_one(const inkling_short_convolution & whole, int64_t channel, int64_t token) {
    const float * input   = row_at(whole.input, whole.input_stride, channel) + token;
    const float * weights = whole.weights + channel * whole.n_taps;
    float         sum     = 0.0F;
    for (int64_t tap = 0; tap < whole.n_taps; tap++) {
        sum = std::fma(input[tap], weights[tap], sum);
    }
    row_at(whole.out, whole.out_stride, token)[channel] = sum;
}

} // namespace

bool inkling_convolve(const inkling_short_convolution * convolution) {
    const inkling_short_convolution & whole          = *convolution;
    const int64_t                     whole_tokens   = whole.n_tokens - whole.n_tokens % LANES;
    const int64_t                     whole_channels = whole.n_channels - whole.n_channels % LANES;
    for (int64_t first = 0; first < whole_channels; first += CHANNELS) {
        const int64_t end = std::min(first + CHANNELS, whole_channels);
        for (int64_t token = 0; token < whole_tokens; token += LANES) {
            for (int64_t channel = first; channel < end; channel += LANES) {
                convolve_block(whole, channel, token);
            }
        }
    }
    for (int64_t token = 0; token < whole.n_tokens; token++) {
        for (int64_t channel = token < whole_tokens ? whole_channels : 0; channel < whole.n_channels; channel++) {
            convolve_one(whole, channel, token);
        }
    }
    return true;
}

#else

bool inkling_convolve(const inkling_short_convolution *) {
    return false;
}

#endif

#include "short_convolution.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#include "transpose.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace {

using inkling_kernels::lanes;

constexpr int LANES    = lanes::width;
// A line of the cache, so that each line of the result is written once.
constexpr int CHANNELS = 16;

template <typename T> T * row_at(T * rows, size_t stride, int64_t row) {
    using byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return reinterpret_cast<T *>(reinterpret_cast<byte *>(rows) + row * stride);
}

// As many tokens as channels.
void convolve_block(const inkling_short_convolution & whole, int64_t channel, int64_t token) {
    lanes sums[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        const float * input   = row_at(whole.input, whole.input_stride, channel + lane) + token;
        const float * weights = whole.weights + (channel + lane) * whole.n_taps;
        sums[lane]            = lanes::all(0);
        for (int64_t tap = 0; tap < whole.n_taps; tap++) {
            sums[lane] = sums[lane].plus(lanes::load(input + tap), lanes::all(weights[tap]));
        }
    }
    transpose(sums);
    for (int lane = 0; lane < LANES; lane++) {
        sums[lane].store(row_at(whole.out, whole.out_stride, token + lane) + channel);
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

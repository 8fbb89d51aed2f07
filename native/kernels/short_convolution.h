// The convolution over the last few tokens that recurrent layers have (ggml_ssm_conv). ggml goes through the channels
// of one token after the other, and each value comes from another line of the cache. This kernel takes a square of
// tokens and channels at a time, as wide as a register. native/patches/6-short-convolution.patch puts the call into
// ggml.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// out[token][channel] = the sum over the taps of input[channel][token + tap] * weights[channel][tap]. Each stride is
// the number of bytes from one row to the next; the rows of weights follow one another without gaps.
struct inkling_short_convolution {
    const float * input; // n_channels rows of n_tokens + n_taps - 1 values
    size_t        input_stride;
    const float * weights; // n_channels rows of n_taps values
    int64_t       n_taps;
    float *       out; // n_tokens rows of n_channels values
    size_t        out_stride;
    int64_t       n_channels;
    int64_t       n_tokens;
};

// Each value is rounded alike, however many tokens there are. Returns false, having done nothing, if there is no kernel
// here.
bool inkling_convolve(const struct inkling_short_convolution * convolution);

#ifdef __cplusplus
}
#endif

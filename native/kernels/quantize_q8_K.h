// Activations as Q8_K, for products with K-quantized weights. ggml has no vector instructions for it on x86-64: a tenth
// of a prompt's time. native/patches/5-vectorized-activations.patch puts the call into ggml.

#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Quantizes n values, a multiple of 256, into block_q8_K at out: finite values as ggml does, to the last bit.
void inkling_quantize_q8_K(const float * values, void * out, int64_t n);

#ifdef __cplusplus
}
#endif

// Products of quantized weights with one to eight rows of activations, for ggml's CPU backend: plain decoding evaluates
// one row, a round of speculation two to eight. ggml unpacks the weights again for each row. These kernels unpack them
// once for all rows, and ask the memory for them ahead. Every row gets the floating-point operations of ggml's product
// with one row, in their order, so the result is equal to the last bit. native/patches/4-few-rows-kernels.patch puts
// the calls into ggml.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Products with more rows than this are left to ggml's kernels for matrices. With fewer, all kernels round each row as
// one row alone (native/patches/3-one-product-path.patch).
#define INKLING_FEW_ROWS 8

// out[row][weight] = dot product of a row of weights and a row of activations. Each stride is the number of bytes from
// one row to the next.
struct inkling_few_rows_product {
    int64_t      n;   // values in each row of weights and of activations
    float *      out; // n_rows rows of n_weights values
    size_t       out_stride;
    const void * weights; // n_weights rows
    size_t       weight_stride;
    int64_t      n_weights;
    const void * activations; // n_rows rows, quantized as this type of weights needs them
    size_t       activation_stride;
    int64_t      n_rows;
};

// Weights as the file has them; type is an enum ggml_type. Returns false, having done nothing, if there is no such
// kernel here.
bool inkling_few_rows(int type, const struct inkling_few_rows_product * product);

// Q4_K weights that ggml has interleaved in groups of eight rows (block_q4_Kx8), with activations in Q8_K. n is a
// multiple of 256, n_weights of 8. The rows of weights and of activations follow one another without gaps, so their
// strides are not read. Returns as inkling_few_rows.
bool inkling_few_rows_q4_K_8x8(const struct inkling_few_rows_product * product);

#ifdef __cplusplus
}
#endif

// Products of quantized weights with rows of activations, for ggml's CPU backend. ggml unpacks the weights again for
// each row, or for each four. These kernels unpack them once for eight rows, with AVX-512 VNNI once for all rows of a
// prompt, and ask the memory for them ahead. Every row gets the floating-point operations of ggml's product with one
// row, in their order, so the result is equal to the last bit, however many rows a batch has.
// native/patches/4-row-product-kernels.patch puts the calls into ggml.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The kernels take so many rows at once. A batch has as many where a round of speculation is verified: up to here each
// row is rounded as one row alone, whatever the type of weights (native/patches/3-one-product-path.patch).
#define INKLING_FEW_ROWS 8

// out[row][weight] = dot product of a row of weights and a row of activations. Each stride is the number of bytes from
// one row to the next.
struct inkling_row_product {
    int64_t      n;   // values in each row of weights and of activations
    float *      out; // n_rows rows of n_weights values
    size_t       out_stride;
    const void * weights; // n_weights rows
    size_t       weight_stride;
    int64_t      n_weights;
    const void * activations; // n_rows rows, quantized as this type of weights needs them
    size_t       activation_stride;
    int64_t n_rows; // any number from 1; of Q8_0 weights at most INKLING_FEW_ROWS, as llamafile's kernel takes more
};

// Weights as the file has them; type is an enum ggml_type. Returns false, having done nothing, if there is no such
// kernel here.
bool inkling_multiply_rows(int type, const struct inkling_row_product * product);

// Rows of weights that are multiplied at a time with many rows of activations.
#define INKLING_COLUMNS 16

// Whether so many rows are best given all at once, with INKLING_COLUMNS rows of weights or a multiple of them.
bool inkling_takes_many_rows(int type, int64_t n_rows);

// Whether a kernel of this build multiplies any number of rows with interleaved Q4_K weights.
bool inkling_multiplies_q4_K_8x8(void);

// Q4_K weights that ggml has interleaved in groups of eight rows (block_q4_Kx8), with activations in Q8_K. n is a
// multiple of 256, n_weights of 8. The rows of activations follow one another without gaps. Returns as
// inkling_multiply_rows.
bool inkling_multiply_q4_K_8x8(const struct inkling_row_product * product);

#ifdef __cplusplus
}
#endif

// Products of quantized weights with one to three rows of activations, for ggml's CPU backend: what plain decoding
// evaluates, and what a round of speculation verifies. ggml multiplies each such row on its own and unpacks the weights
// anew for each; here they are unpacked once, and asked for before they are needed. Every row gets the floating-point
// operations of ggml's product with one row, in their order, so that the result is equal to the last bit.
// native/patches/4-few-rows-kernels.patch puts the calls into ggml.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// More rows than this are left to ggml's kernels for matrices.
#define INKLING_FEW_ROWS 3

// Q4_K weights that ggml has interleaved in groups of eight columns (block_q4_Kx8), times n_rows rows of Q8_K.
//   n          length of a row, a multiple of 256
//   out        n_rows x n_columns, out_stride floats from row to row
//   activations one row after the other
//   n_columns  a multiple of 8
// Returns false, having done nothing, if there is no such kernel here.
bool inkling_few_rows_q4_K_8x8(int n, float * out, size_t out_stride, const void * weights, const void * activations,
                               int n_rows, int n_columns);

// Weights as the file has them, one row of n values after the other; type is an enum ggml_type.
//   out         n_rows x n_weights, out_stride bytes from row to row
//   weights     n_weights rows, weight_stride bytes from row to row
//   activations n_rows rows, quantized for this type of weights, activation_stride bytes from row to row
// Returns false, having done nothing, if there is no such kernel here.
bool inkling_few_rows(int type, int64_t n, float * out, size_t out_stride, const void * weights, size_t weight_stride,
                      int64_t n_weights, const void * activations, size_t activation_stride, int64_t n_rows);

#ifdef __cplusplus
}
#endif

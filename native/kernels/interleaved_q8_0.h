// Q8_0 weights interleaved in groups of sixteen rows, here called columns, and their products with rows of activations.
// In the file's layout 32 values of one row lie side by side, and each of them needs its own sign and its own
// conversion: with eight rows of activations, a product took four times as long as with one. In this layout sixteen
// columns share both. native/patches/22-interleaved-q8-0.patch puts the calls into ggml.

#pragma once

#include "row_products.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether this build has the kernel. The other functions need it.
bool inkling_interleaves_q8_0(void);

// Makes groups of n_rows rows of n values, a multiple of INKLING_COLUMNS and of 32. They take as many bytes as the
// rows.
void inkling_interleave_q8_0(void * groups, const void * rows, int64_t n, int64_t n_rows);

// Bytes of a row of n activations, and one of them. They are rounded as ggml rounds them.
size_t inkling_q8_0_activation_bytes(int64_t n);
void   inkling_q8_0_activations(const float * values, void * row, int64_t n);

// The weights are whole groups, the activations as above. Each row is rounded alike, however many there are: a sum of
// 32 integers is multiplied with the scales and added to the sum of the values before.
void inkling_multiply_interleaved_q8_0(const struct inkling_row_product * product);

#ifdef __cplusplus
}
#endif

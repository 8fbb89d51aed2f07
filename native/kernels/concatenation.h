// Rows put after rows (ggml_concat along the first dimension), as recurrent layers do with the tokens before a batch
// and those of it. ggml copies value by value in one thread, and goes down the columns of a transposed matrix.
// native/patches/10-concatenation.patch puts the call into ggml.

#pragma once

struct ggml_tensor;

// Copies this thread's share of the rows. Precondition: all three tensors hold values of four bytes.
void inkling_concatenate_rows(const ggml_tensor * result, int thread, int threads);

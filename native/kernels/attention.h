// Attention over a KV cache in half precision (ggml_flash_attn_ext). ggml computes one query after the other where a
// batch has fewer than 64 tokens, calls expf for each key, and adds up values in half precision; from 64 tokens on it
// rounds in another way. This kernel takes several queries at a time, tokens or heads that share their keys, and rounds
// each alike, however many there are. Only a key or value that is not finite spoils rows of its block that do not see
// it, as it does in ggml's kernel for many tokens. native/patches/8-attention.patch puts the calls into ggml.

#pragma once

#include <cstdint>

struct ggml_tensor;

// Whether there is a kernel here for this ggml_flash_attn_ext.
bool inkling_attention_fits(const ggml_tensor * result);

// Computes the rows from `first` to before `end`. Rows are numbered by token, then by head, then by sequence. Threads
// may share the rows in any way. Precondition: inkling_attention_fits(result).
void inkling_attend(const ggml_tensor * result, int64_t first, int64_t end);

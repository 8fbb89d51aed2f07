// One token of the gated delta rule, which most layers of Qwen3.5 have in place of attention. ggml goes through the
// state four times for each token. This kernel does it once, and sums in an order of its own, the same for each number
// of tokens. native/patches/7-delta-rule.patch puts the call into ggml.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct inkling_delta_rule {
    int64_t       n;     // values of a key and of a value
    float *       state; // n rows of n values, changed: row j has what keys say of value j
    float         decay; // what the state is multiplied with
    float         beta;  // how much of the difference is learned
    const float * query;
    const float * key;
    const float * value;
    float         scale; // of the result
    float *       out;   // n values
};

// Returns false, having done nothing, if there is no kernel here for n.
bool inkling_apply_delta_rule(const struct inkling_delta_rule * rule);

// Asks the memory for what is needed soon. Beyond the last token it does nothing.
static inline void inkling_prefetch(const void * from, int64_t bytes) {
#if defined(__GNUC__)
    for (int64_t line = 0; line < bytes; line += 64) {
        __builtin_prefetch((const char *) from + line);
    }
#else
    (void) from;
    (void) bytes;
#endif
}

#ifdef __cplusplus
}
#endif

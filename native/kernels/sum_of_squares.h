// The sum of squares that a norm needs. ggml adds one after the other, and each addition waits for the one before.
// native/patches/9-norms.patch puts the calls into ggml.

#pragma once

#include <cstdint>

// In double precision, in as many parts as a compiler fits into registers.
inline double inkling_sum_of_squares(const float * values, int64_t count) {
    constexpr int PARTS        = 32;
    double        parts[PARTS] = {};
    int64_t       i            = 0;
    for (; i + PARTS <= count; i += PARTS) {
        for (int part = 0; part < PARTS; part++) {
            parts[part] += static_cast<double>(values[i + part]) * static_cast<double>(values[i + part]);
        }
    }
    double sum = 0;
    for (; i < count; i++) {
        sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    }
    for (const double part : parts) {
        sum += part;
    }
    return sum;
}

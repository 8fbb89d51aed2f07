// Exchanges rows and columns of a square of floats, as wide as a register. Included by kernels only, which are compiled
// once for each flavour.

#pragma once

#include "lanes.h"

namespace inkling_kernels {

#if defined(__AVX512F__)

inline void transpose(lanes (&rows)[16]) {
    __m512d two[16];
    for (int i = 0; i < 16; i += 2) {
        two[i]     = _mm512_castps_pd(_mm512_unpacklo_ps(rows[i].values, rows[i + 1].values));
        two[i + 1] = _mm512_castps_pd(_mm512_unpackhi_ps(rows[i].values, rows[i + 1].values));
    }
    __m512 four[16];
    for (int i = 0; i < 16; i += 4) {
        four[i]     = _mm512_castpd_ps(_mm512_unpacklo_pd(two[i], two[i + 2]));
        four[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(two[i], two[i + 2]));
        four[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(two[i + 1], two[i + 3]));
        four[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(two[i + 1], two[i + 3]));
    }
    constexpr int EVEN = _MM_SHUFFLE(2, 0, 2, 0);
    constexpr int ODD  = _MM_SHUFFLE(3, 1, 3, 1);
    __m512        eight[16];
    for (int i = 0; i < 4; i++) {
        eight[i]      = _mm512_shuffle_f32x4(four[i], four[i + 4], EVEN);
        eight[i + 4]  = _mm512_shuffle_f32x4(four[i], four[i + 4], ODD);
        eight[i + 8]  = _mm512_shuffle_f32x4(four[i + 8], four[i + 12], EVEN);
        eight[i + 12] = _mm512_shuffle_f32x4(four[i + 8], four[i + 12], ODD);
    }
    for (int i = 0; i < 8; i++) {
        rows[i].values     = _mm512_shuffle_f32x4(eight[i], eight[i + 8], EVEN);
        rows[i + 8].values = _mm512_shuffle_f32x4(eight[i], eight[i + 8], ODD);
    }
}

#else

inline void transpose(lanes (&rows)[8]) {
    __m256 two[8];
    for (int i = 0; i < 8; i += 2) {
        two[i]     = _mm256_unpacklo_ps(rows[i].values, rows[i + 1].values);
        two[i + 1] = _mm256_unpackhi_ps(rows[i].values, rows[i + 1].values);
    }
    __m256 four[8];
    for (int i = 0; i < 8; i += 4) {
        four[i]     = _mm256_shuffle_ps(two[i], two[i + 2], _MM_SHUFFLE(1, 0, 1, 0));
        four[i + 1] = _mm256_shuffle_ps(two[i], two[i + 2], _MM_SHUFFLE(3, 2, 3, 2));
        four[i + 2] = _mm256_shuffle_ps(two[i + 1], two[i + 3], _MM_SHUFFLE(1, 0, 1, 0));
        four[i + 3] = _mm256_shuffle_ps(two[i + 1], two[i + 3], _MM_SHUFFLE(3, 2, 3, 2));
    }
    for (int i = 0; i < 4; i++) {
        rows[i].values     = _mm256_permute2f128_ps(four[i], four[i + 4], 0x20);
        rows[i + 4].values = _mm256_permute2f128_ps(four[i], four[i + 4], 0x31);
    }
}

#endif

} // namespace inkling_kernels

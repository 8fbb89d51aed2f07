// As many floats as fit a register, on x86-64: sixteen with AVX-512, eight with AVX2. Included by kernels only, which
// are compiled once for each flavour.

#pragma once

#include <immintrin.h>

#include <cstdint>

namespace inkling_kernels {

#if defined(__AVX512F__)

struct lanes {
    static constexpr int64_t width = 16;
    __m512                   values;

    static lanes load(const float * from) { return {_mm512_loadu_ps(from)}; }
    // Loads IEEE half precision.
    static lanes load_half(const uint16_t * from) {
        return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(from)))};
    }
    static lanes all(float value) { return {_mm512_set1_ps(value)}; }
    void         store(float * to) const { _mm512_storeu_ps(to, values); }
    lanes        times(lanes other) const { return {_mm512_mul_ps(values, other.values)}; }
    lanes        plus(lanes other) const { return {_mm512_add_ps(values, other.values)}; }
    lanes        minus(lanes other) const { return {_mm512_sub_ps(values, other.values)}; }
    lanes        plus(lanes a, lanes b) const { return {_mm512_fmadd_ps(a.values, b.values, values)}; }
    lanes        or_more(lanes other) const { return {_mm512_max_ps(values, other.values)}; }
    // These where they are at least `least` or not numbers, 0 elsewhere.
    lanes        or_zero_below(lanes least, lanes of) const {
               return {_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(of.values, least.values, _CMP_NLT_UQ), values)};
    }
    // Two to the power of whole numbers from -126 to 127.
    static lanes power_of_two(lanes whole) {
        const __m512i exponent = _mm512_add_epi32(_mm512_cvtps_epi32(whole.values), _mm512_set1_epi32(127));
        return {_mm512_castsi512_ps(_mm512_slli_epi32(exponent, 23))};
    }
    lanes  rounded() const { return {_mm512_roundscale_ps(values, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
    float  sum() const { return _mm512_reduce_add_ps(values); }
    float  largest() const { return _mm512_reduce_max_ps(values); }
    // Each half added to the other.
    __m256 folded() const {
        const __m256 upper = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(values), 1));
        return _mm256_add_ps(_mm512_castps512_ps256(values), upper);
    }
    static constexpr int SUMS = 4;
    // The sum of each; `to` is aligned to 16 bytes.
    static void          store_sums(const lanes (&of)[SUMS], float * to) {
                 const __m256 fours = _mm256_hadd_ps(_mm256_hadd_ps(of[0].folded(), of[1].folded()),
                                                     _mm256_hadd_ps(of[2].folded(), of[3].folded()));
                 _mm_store_ps(to, _mm_add_ps(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1)));
    }
    // The sum of each, in their order.
    static lanes sums_of(const lanes (&of)[width]) {
        __m512d two[8];
        for (int64_t i = 0; i < 8; i++) {
            two[i] = _mm512_castps_pd(_mm512_add_ps(_mm512_unpacklo_ps(of[2 * i].values, of[2 * i + 1].values),
                                                    _mm512_unpackhi_ps(of[2 * i].values, of[2 * i + 1].values)));
        }
        __m512 four[4];
        for (int64_t i = 0; i < 4; i++) {
            four[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(two[2 * i], two[2 * i + 1])),
                                    _mm512_castpd_ps(_mm512_unpackhi_pd(two[2 * i], two[2 * i + 1])));
        }
        const auto halves_added = [](__m512 a, __m512 b) {
            return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, _MM_SHUFFLE(2, 0, 2, 0)),
                                 _mm512_shuffle_f32x4(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
        };
        return {halves_added(halves_added(four[0], four[1]), halves_added(four[2], four[3]))};
    }
};

#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

struct lanes {
    static constexpr int64_t width = 8;
    __m256                   values;

    static lanes load(const float * from) { return {_mm256_loadu_ps(from)}; }
    static lanes load_half(const uint16_t * from) {
        return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from)))};
    }
    static lanes all(float value) { return {_mm256_set1_ps(value)}; }
    void         store(float * to) const { _mm256_storeu_ps(to, values); }
    lanes        times(lanes other) const { return {_mm256_mul_ps(values, other.values)}; }
    lanes        plus(lanes other) const { return {_mm256_add_ps(values, other.values)}; }
    lanes        minus(lanes other) const { return {_mm256_sub_ps(values, other.values)}; }
    lanes        plus(lanes a, lanes b) const { return {_mm256_fmadd_ps(a.values, b.values, values)}; }
    lanes        or_more(lanes other) const { return {_mm256_max_ps(values, other.values)}; }
    lanes        or_zero_below(lanes least, lanes of) const {
               return {_mm256_and_ps(values, _mm256_cmp_ps(of.values, least.values, _CMP_NLT_UQ))};
    }
    static lanes power_of_two(lanes whole) {
        const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(whole.values), _mm256_set1_epi32(127));
        return {_mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23))};
    }
    lanes rounded() const { return {_mm256_round_ps(values, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
    float sum() const {
        const __m128 half = _mm_add_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
        const __m128 two  = _mm_add_ps(half, _mm_movehl_ps(half, half));
        return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
    }
    float largest() const {
        const __m128 half = _mm_max_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
        const __m128 two  = _mm_max_ps(half, _mm_movehl_ps(half, half));
        return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
    }
    __m256               folded() const { return values; }
    static constexpr int SUMS = 4;
    // The sum of each; `to` is aligned to 16 bytes.
    static void          store_sums(const lanes (&of)[SUMS], float * to) {
                 const __m256 fours = _mm256_hadd_ps(_mm256_hadd_ps(of[0].folded(), of[1].folded()),
                                                     _mm256_hadd_ps(of[2].folded(), of[3].folded()));
                 _mm_store_ps(to, _mm_add_ps(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1)));
    }
    // The sum of each, in their order.
    static lanes sums_of(const lanes (&of)[width]) {
        __m256 fours[2];
        for (int64_t i = 0; i < 2; i++) {
            fours[i] = _mm256_hadd_ps(_mm256_hadd_ps(of[4 * i].values, of[4 * i + 1].values),
                                      _mm256_hadd_ps(of[4 * i + 2].values, of[4 * i + 3].values));
        }
        return {_mm256_add_ps(_mm256_permute2f128_ps(fours[0], fours[1], 0x20),
                              _mm256_permute2f128_ps(fours[0], fours[1], 0x31))};
    }
};

#endif

} // namespace inkling_kernels

#include "quantize_q8_K.h"

#include "ggml.h"

#define GGML_COMMON_DECL_CPP
#include "ggml-common.h"
#include "quants.h"

#if defined(__AVX2__)

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

constexpr int64_t LANES = 8;

__m128 most_of_halves(__m256 lanes) {
    return _mm_max_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
}

// The first of the values with the largest magnitude, with its sign; 0 if there is none.
float extreme_of(const float * values) {
    __m256 most[2]  = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    __m256 least[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    for (int64_t i = 0; i < QK_K; i += 2 * LANES) {
        for (int part = 0; part < 2; part++) {
            const __m256 here = _mm256_loadu_ps(values + i + part * LANES);
            // The second operand wins over what is not a number, which has no magnitude.
            most[part]        = _mm256_max_ps(here, most[part]);
            least[part]       = _mm256_min_ps(here, least[part]);
        }
    }
    const __m128 highest = most_of_halves(_mm256_max_ps(most[0], most[1]));
    const __m256 zero    = _mm256_setzero_ps();
    const __m128 lowest  = most_of_halves(_mm256_sub_ps(zero, _mm256_min_ps(least[0], least[1])));
    const __m128 fours   = _mm_max_ps(_mm_unpacklo_ps(highest, lowest), _mm_unpackhi_ps(highest, lowest));
    const __m128 both    = _mm_max_ps(fours, _mm_movehl_ps(fours, fours));
    const float  above   = _mm_cvtss_f32(both);
    const float  below   = _mm_cvtss_f32(_mm_movehdup_ps(both));
    if (above != below) {
        return above > below ? above : -below;
    }
    // Both signs have it, or no value is a number.
    const float * const end     = values + QK_K;
    const float * const extreme = std::find_if(values, end, [=](float value) { return std::fabs(value) == above; });
    return extreme == end ? 0.0F : *extreme;
}

// 32 values, scaled, rounded to the nearest integer, or the even one of two.
__m256i rounded(const float * values, __m256 scale) {
    __m256i integers[4];
    for (int part = 0; part < 4; part++) {
        integers[part] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(values + part * LANES), scale));
    }
    const __m256i low   = _mm256_packs_epi32(integers[0], integers[1]);
    const __m256i high  = _mm256_packs_epi32(integers[2], integers[3]);
    // Packing works in halves of 128 bits.
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
}

// Two sums, of sixteen bytes each.
void store_sums(__m256i bytes, int16_t * sums) {
    const __m256i eights   = _mm256_sad_epu8(_mm256_xor_si256(bytes, _mm256_set1_epi8(-128)), _mm256_setzero_si256());
    const __m256i sixteens = _mm256_add_epi64(eights, _mm256_unpackhi_epi64(eights, eights));
    sums[0]                = static_cast<int16_t>(_mm256_extract_epi16(sixteens, 0) - 16 * 128);
    sums[1]                = static_cast<int16_t>(_mm256_extract_epi16(sixteens, 8) - 16 * 128);
}

void quantize(const float * values, block_q8_K & out) {
    // The extreme becomes -127, as ggml has it.
    const float extreme = extreme_of(values);
    const float inverse = -127.0F / extreme;
    // Nothing but zeros, or values so small that a scale for them has no finite inverse.
    if (extreme == 0.0F || std::isinf(inverse)) {
        std::memset(&out, 0, sizeof(out));
        return;
    }
    for (int i = 0; i < QK_K; i += 32) {
        const __m256i bytes = rounded(values + i, _mm256_set1_ps(inverse));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(out.qs + i), bytes);
        store_sums(bytes, out.bsums + i / 16);
    }
    out.d = 1 / inverse;
}

} // namespace

void inkling_quantize_q8_K(const float * values, void * out, int64_t n) {
    auto * const blocks = static_cast<block_q8_K *>(out);
    for (int64_t b = 0; b < n / QK_K; b++) {
        quantize(values + b * QK_K, blocks[b]);
    }
}

#else

void inkling_quantize_q8_K(const float * values, void * out, int64_t n) {
    quantize_row_q8_K(values, out, n);
}

#endif

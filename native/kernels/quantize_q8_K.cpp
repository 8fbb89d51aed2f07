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

__m256 magnitudes(const float * values) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), _mm256_loadu_ps(values));
}

// The first of the values with the largest magnitude, with its sign; 0 if there is none.
float extreme_of(const float * values) {
    __m256 most[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
    for (int64_t i = 0; i < QK_K; i += 4 * LANES) {
        for (int part = 0; part < 4; part++) {
            // Its second operand wins over what is not a number, which has no magnitude.
            most[part] = _mm256_max_ps(magnitudes(values + i + part * LANES), most[part]);
        }
    }
    alignas(32) float lanes[LANES];
    _mm256_store_ps(lanes, _mm256_max_ps(_mm256_max_ps(most[0], most[1]), _mm256_max_ps(most[2], most[3])));
    const float         magnitude = *std::max_element(lanes, lanes + LANES);
    const float * const end       = values + QK_K;
    const float * const extreme = std::find_if(values, end, [=](float value) { return std::fabs(value) == magnitude; });
    // Where no value is a number, none has it.
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

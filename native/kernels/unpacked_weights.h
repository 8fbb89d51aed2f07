// Quantized weights unpacked into registers, and their integer products with a row of activations. For
// row_products.cpp, on x86-64 with AVX2, and with AVX-512 VNNI where the flavour has it. How integers are summed
// changes no bit.

#pragma once

#include "ggml.h"

#define GGML_COMMON_DECL_CPP
#include "ggml-common.h"
#include "repack.h"

#include <immintrin.h>

#include <cstring>

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#define INKLING_VNNI
#endif

namespace inkling_kernels {

inline float to_float(ggml_half half) {
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half)));
}

// In ggml's order.
inline float horizontal_sum(__m256 x) {
    __m128 sum = _mm_add_ps(_mm256_extractf128_ps(x, 1), _mm256_castps256_ps128(x));
    sum        = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    sum        = _mm_add_ss(sum, _mm_movehdup_ps(sum));
    return _mm_cvtss_f32(sum);
}

// Sums of four neighbouring products, unsigned times signed.
inline __m256i dot_of_four(__m256i unsigned_bytes, __m256i signed_bytes) {
#if defined(INKLING_VNNI)
    return _mm256_dpbusd_epi32(_mm256_setzero_si256(), unsigned_bytes, signed_bytes);
#else
    return _mm256_madd_epi16(_mm256_maddubs_epi16(unsigned_bytes, signed_bytes), _mm256_set1_epi16(1));
#endif
}

inline __m256i load(const void * from) {
    return _mm256_loadu_si256(static_cast<const __m256i *>(from));
}

// Sums of each 32 of a block's activations.
inline __m128i sums_of_32(const block_q8_K & block) {
    const __m256i of_16 = load(block.bsums);
    return _mm_hadd_epi16(_mm256_castsi256_si128(of_16), _mm256_extracti128_si256(of_16, 1));
}

#if defined(INKLING_VNNI)

// The same four bytes in each element.
inline __m512i four_to_all(const void * bytes) {
    int32_t four;
    std::memcpy(&four, bytes, sizeof(four));
    return _mm512_set1_epi32(four);
}

#endif

// Distance from what is read to what is prefetched. The processor's own prefetching stops at the end of each page, and
// one core alone then reads little more than half of what the memory gives. Beyond the last weight it does nothing.
constexpr size_t PREFETCH_BYTES_8x8 = 4608;
constexpr size_t PREFETCH_BYTES     = 2304;

inline void prefetch(const void * from, size_t ahead) {
    _mm_prefetch(static_cast<const char *>(from) + ahead, _MM_HINT_T0);
}

// Makes the compiler finish a sum before the next. In its own order it keeps more sums at a time than there are
// registers.
inline void settle([[maybe_unused]] __m256i & sum) {
#if defined(__GNUC__)
    // "x" would bar registers 16 to 31, which AVX-512 has.
    asm("" : "+v"(sum));
#endif
}

// Scaled sums of one row of activations with a block of weights, one for each eighth of 32 values.
struct q6_K_dots {
    __m256i lanes;

    __m256i sums() const { return lanes; }
};

// An eighth of a block: 32 values as 0 to 63.
struct q6_K_part {
    static constexpr int length = 32;
    __m256i              values;
    __m256i              scales;

    q6_K_part(const block_q6_K & block, int64_t part) {
        const int64_t half    = part / 4;
        const int64_t quarter = part % 4;
        const __m256i both    = load(block.ql + 64 * half + 32 * (quarter % 2));
        const __m256i nibbles =
            _mm256_and_si256(quarter < 2 ? both : _mm256_srli_epi16(both, 4), _mm256_set1_epi8(0x0f));
        const __m256i high     = load(block.qh + 32 * half);
        const __m256i lifted   = quarter == 0   ? _mm256_slli_epi16(high, 4)
                                 : quarter == 1 ? _mm256_slli_epi16(high, 2)
                                 : quarter == 2 ? high
                                                : _mm256_srli_epi16(high, 2);
        values                 = _mm256_or_si256(nibbles, _mm256_and_si256(lifted, _mm256_set1_epi8(0x30)));
        // Sixteen values share a scale.
        const __m128i of_block = _mm_loadu_si128(reinterpret_cast<const __m128i *>(block.scales));
        const __m128i two      = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
        const __m128i here     = _mm_add_epi8(two, _mm_set1_epi8(static_cast<char>(2 * part)));
        scales                 = _mm256_cvtepi8_epi16(_mm_shuffle_epi8(of_block, here));
    }

    void add(q6_K_dots & dots, const int8_t * row) const {
        // At most 2 x 63 x 128: sixteen bits hold it.
        const __m256i products = _mm256_maddubs_epi16(values, load(row));
        dots.lanes             = _mm256_add_epi32(dots.lanes, _mm256_madd_epi16(scales, products));
        settle(dots.lanes);
    }
};

#if defined(INKLING_VNNI)

// The same for a block of Q5_K, whose sub-blocks have 32 values: two sums for each eighth.
struct q5_K_dots {
    __m512i pairs;

    __m256i sums() const {
        return _mm256_add_epi32(_mm512_castsi512_si256(pairs), _mm512_extracti64x4_epi64(pairs, 1));
    }
};

// A quarter of a block: two sub-blocks, 64 values from 0 to 31.
struct q5_K_part {
    static constexpr int length = 64;
    __m512i              values;
    __m512i              scales;

    // Of each sub-block the scale, as sixteen bits.
    q5_K_part(const block_q5_K & block, __m128i of_sub_blocks, int64_t part) {
        const __m256i nibbles = load(block.qs + 32 * part);
        const __m512i both    = _mm512_inserti64x4(_mm512_castsi256_si512(nibbles), _mm256_srli_epi16(nibbles, 4), 1);
        // Bit n of each byte belongs to sub-block n.
        const __m256i fifths  = _mm256_srl_epi16(load(block.qh), _mm_cvtsi64_si128(2 * part));
        const __m512i lifted =
            _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_slli_epi16(fifths, 4)), _mm256_slli_epi16(fifths, 3), 1);
        values            = _mm512_or_si512(_mm512_and_si512(both, _mm512_set1_epi8(0x0f)),
                                            _mm512_and_si512(lifted, _mm512_set1_epi8(0x10)));
        const __m128i two = _mm_srl_epi64(part < 2 ? of_sub_blocks : _mm_unpackhi_epi64(of_sub_blocks, of_sub_blocks),
                                          _mm_cvtsi64_si128(32 * (part % 2)));
        const __m512i words = _mm512_broadcastd_epi32(two);
        scales              = _mm512_inserti64x4(_mm512_and_si512(words, _mm512_set1_epi32(0xffff)),
                                                 _mm512_castsi512_si256(_mm512_srli_epi32(words, 16)), 1);
    }

    void add(q5_K_dots & dots, const int8_t * row) const {
        // At most 4 x 31 x 128: the lower sixteen bits hold it, and the scale's upper sixteen are zero.
        const __m512i products = _mm512_dpbusd_epi32(_mm512_setzero_si512(), values, _mm512_loadu_si512(row));
        dots.pairs             = _mm512_dpwssd_epi32(dots.pairs, products, scales);
    }
};

#else

// The same for a block of Q5_K, whose sub-blocks have 32 values.
struct q5_K_dots {
    __m256i lanes;

    __m256i sums() const { return lanes; }
};

// A sub-block: 32 values from 0 to 31.
struct q5_K_part {
    static constexpr int length = 32;
    __m256i values;
    __m256i scales;

    // Of each sub-block the scale, as sixteen bits.
    q5_K_part(const block_q5_K & block, __m128i of_sub_blocks, int64_t part) {
        const __m256i both = load(block.qs + 32 * (part / 2));
        const __m256i nibbles = part % 2 != 0 ? _mm256_srli_epi16(both, 4) : both;
        // Bit n of each byte belongs to sub-block n.
        const __m256i fifths = _mm256_srl_epi16(load(block.qh), _mm_cvtsi64_si128(part));
        values = _mm256_or_si256(_mm256_and_si256(nibbles, _mm256_set1_epi8(0x0f)),
                                 _mm256_and_si256(_mm256_slli_epi16(fifths, 4), _mm256_set1_epi8(0x10)));
        const __m128i half = part < 4 ? of_sub_blocks : _mm_unpackhi_epi64(of_sub_blocks, of_sub_blocks);
        scales = _mm256_broadcastw_epi16(_mm_srl_epi64(half, _mm_cvtsi64_si128(16 * (part % 4))));
    }

    void add(q5_K_dots & dots, const int8_t * row) const {
        // At most 2 x 31 x 128: sixteen bits hold it.
        const __m256i products = _mm256_maddubs_epi16(values, load(row));
        dots.lanes = _mm256_add_epi32(dots.lanes, _mm256_madd_epi16(scales, products));
        settle(dots.lanes);
    }
};

#endif

// Six-bit scales of the eight sub-blocks of a block, then their minimums, as Q4_K and Q5_K pack them into twelve bytes:
// sixteen bits each.
struct scales_and_minimums {
    __m128i scales;
    __m128i minimums;

    explicit scales_and_minimums(const uint8_t * packed) {
        uint32_t words[3];
        std::memcpy(words, packed, sizeof(words));
        const uint32_t six  = 0x3f3f3f3f;
        const uint32_t four = 0x0f0f0f0f;
        const auto     top  = [](uint32_t word) {
            return ((word >> 6) & 0x03030303) << 4;
        };
        const __m256i all = _mm256_cvtepu8_epi16(_mm_setr_epi32(
            static_cast<int>(words[0] & six), static_cast<int>((words[2] & four) | top(words[0])),
            static_cast<int>(words[1] & six), static_cast<int>(((words[2] >> 4) & four) | top(words[1]))));
        scales            = _mm256_castsi256_si128(all);
        minimums          = _mm256_extracti128_si256(all, 1);
    }
};

} // namespace inkling_kernels

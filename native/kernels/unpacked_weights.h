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

// Makes the compiler finish a sum before the next. In its own order it keeps more sums at a time than there are
// registers.
inline void settle([[maybe_unused]] __m256i & sum) {
#if defined(__GNUC__)
    // "x" would bar registers 16 to 31, which AVX-512 has.
    asm("" : "+v"(sum));
#endif
}

inline int64_t eight(const int8_t * from) {
    int64_t bytes;
    std::memcpy(&bytes, from, sizeof(bytes));
    return bytes;
}

// Six-bit scales and minimums of two neighbouring sub-blocks in eight columns, as block_q4_Kx8 packs each into twelve
// bytes: in each half of the result bytes 0 to 7 are the scales of the columns, bytes 8 to 15 their minimums.
inline __m256i unpack_scales(const uint8_t * packed) {
    // Reads four bytes beyond the second, which are within the block.
    const __m256i words =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i *>(packed))),
                                _mm_loadu_si128(reinterpret_cast<const __m128i *>(packed + 12)), 1);
    // Words 0 and 1: columns 0 to 3 whole, and the upper two bits of the others; word 2: the others' lower four bits.
    const __m256i first = _mm256_and_si256(words, _mm256_set1_epi8(0x3f));
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(words, 2), _mm256_set1_epi8(0x30));
    const __m256i lower = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi32(words, _MM_SHUFFLE(2, 2, 2, 2)),
                                                             _mm256_setr_epi32(0, 4, 0, 4, 0, 4, 0, 4)),
                                           _mm256_set1_epi8(0x0f));
    return _mm256_unpacklo_epi32(first, _mm256_or_si256(upper, lower));
}

#if defined(INKLING_VNNI)

// Scaled sums of one row of activations with eight columns of weights, two for each column.
struct q4_K_8x8_dots {
    __m512i pairs;

    // The columns' sums, and in the same order their scales. ordered() puts what comes from both into the columns'
    // order.
    __m256i columns() const { return _mm512_cvtepi64_epi32(_mm512_add_epi32(pairs, _mm512_srli_epi64(pairs, 32))); }
    static __m256 in_order(__m128i halves) { return _mm256_cvtph_ps(halves); }
    static __m256 ordered(__m256 columns) { return columns; }
};

// 32 values of eight columns.
template <bool high> struct q4_K_8x8_sub_block {
    __m512i eighths[4];
    __m512i scales;

    q4_K_8x8_sub_block(const uint8_t * quants, __m128i packed_scales)
        : scales(_mm512_cvtepu8_epi32(_mm_unpacklo_epi8(packed_scales, packed_scales))) {
        for (int64_t eighth = 0; eighth < 4; eighth++) {
            const __m512i both = _mm512_loadu_si512(quants + 64 * eighth);
            eighths[eighth]    = _mm512_and_si512(high ? _mm512_srli_epi16(both, 4) : both, _mm512_set1_epi8(0x0f));
        }
    }

    void add(q4_K_8x8_dots & dots, const int8_t * values) const {
        __m512i products = _mm512_setzero_si512();
        for (int64_t eighth = 0; eighth < 4; eighth++) {
            products = _mm512_dpbusd_epi32(products, eighths[eighth], _mm512_set1_epi64(eight(values + 8 * eighth)));
        }
        // At most 16 x 15 x 128: the lower sixteen bits hold it, and the scale's upper sixteen are zero.
        dots.pairs = _mm512_dpwssd_epi32(dots.pairs, products, scales);
    }
};

#else

// Scaled sums of one row of activations with eight columns of weights, two for each column.
struct q4_K_8x8_dots {
    __m256i columns_0123;
    __m256i columns_4567;

    // Columns in the order in which _mm256_hadd_epi32 leaves them: 0 1 4 5 2 3 6 7.
    __m256i columns() const { return _mm256_hadd_epi32(columns_0123, columns_4567); }
    static __m256 in_order(__m128i halves) {
        const __m128i order = _mm_setr_epi8(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
        return _mm256_cvtph_ps(_mm_shuffle_epi8(halves, order));
    }
    static __m256 ordered(__m256 columns) {
        return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(columns), _MM_SHUFFLE(3, 1, 2, 0)));
    }
};

// 32 values of eight columns.
template <bool high> struct q4_K_8x8_sub_block {
    __m256i eighths_0123[4];
    __m256i eighths_4567[4];
    __m256i scales_0123;
    __m256i scales_4567;

    q4_K_8x8_sub_block(const uint8_t * quants, __m128i packed_scales) {
        for (int64_t eighth = 0; eighth < 4; eighth++) {
            eighths_0123[eighth] = nibbles(load(quants + 64 * eighth));
            eighths_4567[eighth] = nibbles(load(quants + 64 * eighth + 32));
        }
        // Four times each: the sixteen-bit scale of columns 0 to 3, and of 4 to 7.
        const __m256i of_0123 = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, //
                                                 4, 5, 4, 5, 4, 5, 4, 5, 6, 7, 6, 7, 6, 7, 6, 7);
        const __m256i scales = _mm256_broadcastsi128_si256(_mm_cvtepu8_epi16(packed_scales));
        scales_0123 = _mm256_shuffle_epi8(scales, of_0123);
        scales_4567 = _mm256_shuffle_epi8(scales, _mm256_add_epi8(of_0123, _mm256_set1_epi8(8)));
    }

    static __m256i nibbles(__m256i both) {
        return _mm256_and_si256(high ? _mm256_srli_epi16(both, 4) : both, _mm256_set1_epi8(0x0f));
    }

    void add(q4_K_8x8_dots & dots, const int8_t * values) const {
        __m256i products_0123 = _mm256_setzero_si256();
        __m256i products_4567 = _mm256_setzero_si256();
        for (int64_t eighth = 0; eighth < 4; eighth++) {
            const __m256i of_row = _mm256_set1_epi64x(eight(values + 8 * eighth));
            // At most 4 x 2 x 15 x 128: sixteen bits hold it.
            products_0123 = _mm256_add_epi16(products_0123, _mm256_maddubs_epi16(eighths_0123[eighth], of_row));
            products_4567 = _mm256_add_epi16(products_4567, _mm256_maddubs_epi16(eighths_4567[eighth], of_row));
        }
        dots.columns_0123 = _mm256_add_epi32(dots.columns_0123, _mm256_madd_epi16(products_0123, scales_0123));
        dots.columns_4567 = _mm256_add_epi32(dots.columns_4567, _mm256_madd_epi16(products_4567, scales_4567));
    }
};

#endif

#if defined(INKLING_VNNI)

// Scaled sums of one row of activations with a block of weights, two for each eighth of 32 values.
struct q6_K_dots {
    __m512i pairs;

    __m256i sums() const {
        return _mm256_add_epi32(_mm512_castsi512_si256(pairs), _mm512_extracti64x4_epi64(pairs, 1));
    }
};

// A quarter of a block: 64 values as 0 to 63.
struct q6_K_part {
    static constexpr int length = 64;
    __m512i              values;
    __m512i              scales;

    q6_K_part(const block_q6_K & block, int64_t part) {
        const bool    high    = part % 2 != 0;
        const __m512i nibbles = _mm512_loadu_si512(block.ql + 64 * (part / 2));
        // Bits 0 and 1 belong to the first 32 values of half a block, 2 and 3 to the next, and so on.
        const __m512i twos    = _mm512_broadcast_i64x4(load(block.qh + 32 * (part / 2)));
        const __m512i lifted =
            high ? _mm512_srlv_epi16(twos, _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi16(2), 1))
                 : _mm512_sllv_epi16(twos, _mm512_inserti64x4(_mm512_set1_epi16(4), _mm256_set1_epi16(2), 1));
        values =
            _mm512_or_si512(_mm512_and_si512(high ? _mm512_srli_epi16(nibbles, 4) : nibbles, _mm512_set1_epi8(0x0f)),
                            _mm512_and_si512(lifted, _mm512_set1_epi8(0x30)));
        // Sixteen values, four lanes, share a scale.
        int32_t four;
        std::memcpy(&four, block.scales + 4 * part, sizeof(four));
        const __m128i lanes =
            _mm_shuffle_epi8(_mm_cvtsi32_si128(four), _mm_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
        scales = _mm512_and_si512(_mm512_cvtepi8_epi32(lanes), _mm512_set1_epi32(0xffff));
    }

    void add(q6_K_dots & dots, const int8_t * row) const {
        // At most 4 x 63 x 128: the lower sixteen bits hold it, and the scale's upper sixteen are zero.
        const __m512i products = _mm512_dpbusd_epi32(_mm512_setzero_si512(), values, _mm512_loadu_si512(row));
        dots.pairs             = _mm512_dpwssd_epi32(dots.pairs, products, scales);
    }
};

// The same for a block of Q5_K, whose sub-blocks have 32 values.
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

// Scaled sums of one row of activations with a block of weights, one for each eighth of 32 values.
struct q6_K_dots {
    __m256i lanes;

    __m256i sums() const { return lanes; }
};

// An eighth of a block: 32 values as 0 to 63.
struct q6_K_part {
    static constexpr int length = 32;
    __m256i values;
    __m256i scales;

    q6_K_part(const block_q6_K & block, int64_t part) {
        const int64_t half = part / 4;
        const int64_t quarter = part % 4;
        const __m256i both = load(block.ql + 64 * half + 32 * (quarter % 2));
        const __m256i nibbles =
            _mm256_and_si256(quarter < 2 ? both : _mm256_srli_epi16(both, 4), _mm256_set1_epi8(0x0f));
        const __m256i high = load(block.qh + 32 * half);
        const __m256i lifted = quarter == 0 ? _mm256_slli_epi16(high, 4)
                               : quarter == 1 ? _mm256_slli_epi16(high, 2)
                               : quarter == 2 ? high
                                              : _mm256_srli_epi16(high, 2);
        values = _mm256_or_si256(nibbles, _mm256_and_si256(lifted, _mm256_set1_epi8(0x30)));
        // Sixteen values share a scale.
        const __m128i of_block = _mm_loadu_si128(reinterpret_cast<const __m128i *>(block.scales));
        const __m128i two = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
        const __m128i here = _mm_add_epi8(two, _mm_set1_epi8(static_cast<char>(2 * part)));
        scales = _mm256_cvtepi8_epi16(_mm_shuffle_epi8(of_block, here));
    }

    void add(q6_K_dots & dots, const int8_t * row) const {
        // At most 2 x 63 x 128: sixteen bits hold it.
        const __m256i products = _mm256_maddubs_epi16(values, load(row));
        dots.lanes = _mm256_add_epi32(dots.lanes, _mm256_madd_epi16(scales, products));
        settle(dots.lanes);
    }
};

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

#include "delta_rule.h"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

namespace {

#if defined(__AVX512F__)

struct lanes {
    static constexpr int width = 16;
    __m512               values;

    static lanes load(const float * from) { return {_mm512_loadu_ps(from)}; }
    static lanes all(float value) { return {_mm512_set1_ps(value)}; }
    void         store(float * to) const { _mm512_storeu_ps(to, values); }
    lanes        times(lanes other) const { return {_mm512_mul_ps(values, other.values)}; }
    lanes        plus(lanes other) const { return {_mm512_add_ps(values, other.values)}; }
    lanes        plus(lanes a, lanes b) const { return {_mm512_fmadd_ps(a.values, b.values, values)}; }
    float        sum() const { return _mm512_reduce_add_ps(values); }
};

#else

struct lanes {
    static constexpr int width = 8;
    __m256               values;

    static lanes load(const float * from) { return {_mm256_loadu_ps(from)}; }
    static lanes all(float value) { return {_mm256_set1_ps(value)}; }
    void         store(float * to) const { _mm256_storeu_ps(to, values); }
    lanes        times(lanes other) const { return {_mm256_mul_ps(values, other.values)}; }
    lanes        plus(lanes other) const { return {_mm256_add_ps(values, other.values)}; }
    lanes        plus(lanes a, lanes b) const { return {_mm256_fmadd_ps(a.values, b.values, values)}; }
    float        sum() const {
               const __m128 half = _mm_add_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
               const __m128 two  = _mm_add_ps(half, _mm_movehl_ps(half, half));
               return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
    }
};

#endif

// A row of n values stays in registers from its decay to its result.
template <int n> void apply(const inkling_delta_rule & rule) {
    constexpr int parts = n / lanes::width;
    const lanes   decay = lanes::all(rule.decay);
    for (int64_t j = 0; j < n; j++) {
        float * const row = rule.state + j * n;
        lanes         values[parts];
        lanes         found[2] = {lanes::all(0), lanes::all(0)};
        for (int part = 0; part < parts; part++) {
            values[part]    = lanes::load(row + part * lanes::width).times(decay);
            found[part % 2] = found[part % 2].plus(values[part], lanes::load(rule.key + part * lanes::width));
        }
        const lanes learned = lanes::all((rule.value[j] - found[0].plus(found[1]).sum()) * rule.beta);
        lanes       said[2] = {lanes::all(0), lanes::all(0)};
        for (int part = 0; part < parts; part++) {
            values[part] = values[part].plus(learned, lanes::load(rule.key + part * lanes::width));
            values[part].store(row + part * lanes::width);
            said[part % 2] = said[part % 2].plus(values[part], lanes::load(rule.query + part * lanes::width));
        }
        rule.out[j] = said[0].plus(said[1]).sum() * rule.scale;
    }
}

} // namespace

bool inkling_apply_delta_rule(const inkling_delta_rule * rule) {
    switch (rule->n) {
        case 32: apply<32>(*rule); return true;
        case 64: apply<64>(*rule); return true;
        case 128: apply<128>(*rule); return true;
        default: return false;
    }
}

#else

bool inkling_apply_delta_rule(const inkling_delta_rule *) {
    return false;
}

#endif

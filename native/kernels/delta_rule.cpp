#include "delta_rule.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#include "lanes.h"

namespace {

using inkling_kernels::lanes;

// So many rows at a time: their sums together cost little more than one alone.
constexpr int ROWS = lanes::width;

template <int64_t n> void apply(const inkling_delta_rule & rule) {
    constexpr int64_t PARTS = n / lanes::width;
    const lanes       decay = lanes::all(rule.decay);
    lanes             key[PARTS];
    lanes             query[PARTS];
    for (int64_t part = 0; part < PARTS; part++) {
        key[part]   = lanes::load(rule.key + part * lanes::width);
        query[part] = lanes::load(rule.query + part * lanes::width);
    }
    for (int64_t j = 0; j < n; j += ROWS) {
        lanes sums[ROWS];
#if defined(__GNUC__)
#pragma GCC unroll 16
#endif
        for (int row = 0; row < ROWS; row++) {
            const float * const values = rule.state + (j + row) * n;
            sums[row]                  = key[0].times(lanes::load(values));
            for (int64_t part = 1; part < PARTS; part++) {
                sums[row] = sums[row].plus(key[part], lanes::load(values + part * lanes::width));
            }
        }
        alignas(64) float learned[ROWS];
        const lanes       found = lanes::sums_of(sums).times(decay);
        lanes::load(rule.value + j).minus(found).times(lanes::all(rule.beta)).store(learned);
#if defined(__GNUC__)
#pragma GCC unroll 16
#endif
        for (int row = 0; row < ROWS; row++) {
            float * const values = rule.state + (j + row) * n;
            const lanes   change = lanes::all(learned[row]);
            sums[row]            = lanes::all(0);
            for (int64_t part = 0; part < PARTS; part++) {
                float * const at    = values + part * lanes::width;
                const lanes   after = lanes::load(at).times(decay).plus(key[part], change);
                after.store(at);
                sums[row] = sums[row].plus(after, query[part]);
            }
        }
        lanes::sums_of(sums).times(lanes::all(rule.scale)).store(rule.out + j);
    }
}

// Flushes numbers below the smallest normal one to zero while it lives. A state that decays has some, and a processor
// takes a hundred cycles for an instruction with one: 2 % of a prompt's time.
class without_subnormals {
    const unsigned before_ = _mm_getcsr();

  public:
    without_subnormals() {
        constexpr unsigned INPUTS_ARE_ZEROS  = 0x0040;
        constexpr unsigned RESULTS_ARE_ZEROS = 0x8000;
        _mm_setcsr(before_ | INPUTS_ARE_ZEROS | RESULTS_ARE_ZEROS);
    }
    ~without_subnormals() { _mm_setcsr(before_); }
    without_subnormals(const without_subnormals &)             = delete;
    without_subnormals & operator=(const without_subnormals &) = delete;
};

} // namespace

bool inkling_apply_delta_rule(const inkling_delta_rule * rule) {
    const without_subnormals here;
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

#include "delta_rule.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#include "lanes.h"

namespace {

using inkling_kernels::lanes;

// So many rows at a time: four sums together cost little more than one alone.
constexpr int ROWS = 4;
static_assert(ROWS == lanes::SUMS);

template <int64_t n> void apply(const inkling_delta_rule & rule) {
    const lanes decay = lanes::all(rule.decay);
    for (int64_t j = 0; j < n; j += ROWS) {
        float * const rows        = rule.state + j * n;
        lanes         found[ROWS] = {lanes::all(0), lanes::all(0), lanes::all(0), lanes::all(0)};
        for (int64_t i = 0; i < n; i += lanes::width) {
            const lanes key = lanes::load(rule.key + i);
            for (int row = 0; row < ROWS; row++) {
                found[row] = found[row].plus(key, lanes::load(rows + row * n + i));
            }
        }
        alignas(16) float learned[ROWS];
        lanes::store_sums(found, learned);
        lanes said[ROWS] = {lanes::all(0), lanes::all(0), lanes::all(0), lanes::all(0)};
        for (int row = 0; row < ROWS; row++) {
            learned[row] = (rule.value[j + row] - learned[row] * rule.decay) * rule.beta;
        }
        for (int64_t i = 0; i < n; i += lanes::width) {
            const lanes key   = lanes::load(rule.key + i);
            const lanes query = lanes::load(rule.query + i);
            for (int row = 0; row < ROWS; row++) {
                float * const at     = rows + row * n + i;
                const lanes   values = lanes::load(at).times(decay).plus(key, lanes::all(learned[row]));
                values.store(at);
                said[row] = said[row].plus(values, query);
            }
        }
        alignas(16) float out[ROWS];
        lanes::store_sums(said, out);
        for (int row = 0; row < ROWS; row++) {
            rule.out[j + row] = out[row] * rule.scale;
        }
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

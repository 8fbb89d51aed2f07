#include "attention.h"

#include "ggml.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#include "lanes.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace {

using inkling_kernels::lanes;

// Registers hold the sums of so many rows, and of so many keys or parts of a value.
#if defined(__AVX512F__)
constexpr int ROWS = 4;
#else
constexpr int ROWS = 2;
#endif
constexpr int     KEYS   = lanes::SUMS;
constexpr int     PARTS  = 4;
// Keys are taken in blocks, so that those of a block stay in the cache for all rows of a tile.
constexpr int     BLOCK  = 64;
constexpr int     TILE   = 32;
constexpr int64_t WIDEST = 256;

constexpr float    NOTHING     = -std::numeric_limits<float>::infinity();
constexpr uint16_t HALF_MASKED = 0xFC00;

// Keys and values of one head in the cache: `count` of them, so many bytes from one to the next.
struct cache {
    int64_t      count;
    const char * keys;
    size_t       key_stride;
    int64_t      key_length;
    const char * values;
    size_t       value_stride;
    int64_t      value_length;

    const uint16_t * key(int64_t i) const { return reinterpret_cast<const uint16_t *>(keys + i * key_stride); }
    const uint16_t * value(int64_t i) const { return reinterpret_cast<const uint16_t *>(values + i * value_stride); }
};

// One query, and what is known of its result.
struct row {
    const float *    query;
    // Null masks nothing.
    const uint16_t * mask;
    float *          out;
    // The largest score so far, and the sum of e to the power of each score minus the largest.
    float            largest;
    lanes            sum;
    // The scores of the present block, later the weights of its values.
    alignas(64) float weights[BLOCK];
    alignas(64) uint16_t masked[BLOCK];
};

struct tile {
    int count = 0;
    row rows[TILE];
    // Sums of weighted values.
    alignas(64) float sums[TILE][WIDEST];
};

// e to the power of x, of at most 0, to within 2 in 10 million; 0 below -87.
lanes exp_of(lanes x) {
    // The second one comes through if one is not a number.
    const lanes least   = lanes::all(-87.0F);
    const lanes bounded = least.or_more(x);
    const lanes whole   = bounded.times(lanes::all(1.44269504F)).rounded();
    // The logarithm of 2 in two parts, so that the first product is exact.
    const lanes rest    = bounded.plus(whole, lanes::all(-0.693145752F)).plus(whole, lanes::all(-1.42860677e-6F));
    lanes       power   = lanes::all(1.0F / 720.0F);
    for (const float factor : {1.0F / 120.0F, 1.0F / 24.0F, 1.0F / 6.0F, 0.5F, 1.0F, 1.0F}) {
        power = lanes::all(factor).plus(power, rest);
    }
    return power.times(lanes::power_of_two(whole)).or_zero_below(least, x);
}

float exp_of(float x) {
    alignas(64) float values[lanes::width];
    exp_of(lanes::all(x)).store(values);
    return values[0];
}

// Scores of the keys from first + begin to before first + end; begin is a multiple of KEYS.
template <int count> void score(const cache & from, row * rows, int64_t first, int begin, int end) {
    for (int at = begin; at < end; at += KEYS) {
        const uint16_t * keys[KEYS];
        for (int i = 0; i < KEYS; i++) {
            keys[i] = from.key(std::min(first + at + i, from.count - 1));
        }
        lanes sums[count][KEYS];
        for (auto & of_row : sums) {
            std::fill(of_row, of_row + KEYS, lanes::all(0));
        }
        for (int64_t d = 0; d < from.key_length; d += lanes::width) {
            for (int i = 0; i < KEYS; i++) {
                const lanes key = lanes::load_half(keys[i] + d);
                for (int r = 0; r < count; r++) {
                    sums[r][i] = sums[r][i].plus(key, lanes::load(rows[r].query + d));
                }
            }
        }
        for (int r = 0; r < count; r++) {
            lanes::store_sums(sums[r], rows[r].weights + at);
        }
    }
}

// Makes weights of a block's scores, and brings the sums of the blocks before to the same scale.
void weigh(row & of, float scale, float * sums, int64_t length) {
    lanes largest = lanes::all(NOTHING);
    // Not a number if a score is none, which the largest one would not say.
    lanes zero    = lanes::all(0);
    for (int i = 0; i < BLOCK; i += lanes::width) {
        const lanes product = lanes::load(of.weights + i);
        const lanes score   = lanes::load_half(of.masked + i).plus(product, lanes::all(scale));
        score.store(of.weights + i);
        largest = largest.or_more(score);
        zero    = zero.plus(product, lanes::all(0));
    }
    const float here = largest.largest() + zero.sum();
    if (here == NOTHING) {
        std::fill(of.weights, of.weights + BLOCK, 0.0F);
        return;
    }
    if (!(here <= of.largest)) {
        const lanes smaller = lanes::all(exp_of(of.largest - here));
        of.largest          = here;
        of.sum              = of.sum.times(smaller);
        for (int64_t d = 0; d < length; d += lanes::width) {
            lanes::load(sums + d).times(smaller).store(sums + d);
        }
    }
    for (int i = 0; i < BLOCK; i += lanes::width) {
        const lanes weight = exp_of(lanes::load(of.weights + i).minus(lanes::all(of.largest)));
        weight.store(of.weights + i);
        of.sum = of.sum.plus(weight);
    }
}

template <int count, int parts> void add_values(const cache & from, const row * rows, float (*sums)[WIDEST], int64_t d,
                                                int64_t first, int begin, int end) {
    lanes held[count][parts];
    for (int r = 0; r < count; r++) {
        for (int part = 0; part < parts; part++) {
            held[r][part] = lanes::load(sums[r] + d + part * lanes::width);
        }
    }
    for (int at = begin; at < end; at++) {
        const uint16_t * const value = from.value(first + at) + d;
        for (int part = 0; part < parts; part++) {
            const lanes values = lanes::load_half(value + part * lanes::width);
            for (int r = 0; r < count; r++) {
                held[r][part] = held[r][part].plus(values, lanes::all(rows[r].weights[at]));
            }
        }
    }
    for (int r = 0; r < count; r++) {
        for (int part = 0; part < parts; part++) {
            held[r][part].store(sums[r] + d + part * lanes::width);
        }
    }
}

// What a block of keys adds to these rows.
template <int count>
void attend_block(const cache & from, row * rows, float (*sums)[WIDEST], float scale, int64_t first) {
    const int present = static_cast<int>(std::min<int64_t>(BLOCK, from.count - first));
    for (int r = 0; r < count; r++) {
        std::fill(rows[r].masked + present, rows[r].masked + BLOCK, HALF_MASKED);
        if (rows[r].mask == nullptr) {
            std::fill(rows[r].masked, rows[r].masked + present, uint16_t{0});
        } else {
            std::copy(rows[r].mask + first, rows[r].mask + first + present, rows[r].masked);
        }
    }
    // Keys before and after those that some row sees are left out. They would add nothing.
    const auto seen = [&](int at) {
        return std::any_of(rows, rows + count, [at](const row & each) { return each.masked[at] != HALF_MASKED; });
    };
    int begin = 0;
    int end   = present;
    while (begin < end && !seen(begin)) {
        begin++;
    }
    if (begin == end) {
        return;
    }
    while (!seen(end - 1)) {
        end--;
    }
    for (int r = 0; r < count; r++) {
        std::fill(rows[r].weights, rows[r].weights + BLOCK, 0.0F);
    }
    score<count>(from, rows, first, begin / KEYS * KEYS, end);
    // Cells behind the last one that is seen may hold NaN, which a mask would not hide.
    for (int r = 0; r < count; r++) {
        std::fill(rows[r].weights + end, rows[r].weights + BLOCK, 0.0F);
    }
    for (int r = 0; r < count; r++) {
        weigh(rows[r], scale, sums[r], from.value_length);
    }
    int64_t d = 0;
    for (; d + PARTS * lanes::width <= from.value_length; d += PARTS * lanes::width) {
        add_values<count, PARTS>(from, rows, sums, d, first, begin, end);
    }
    for (; d < from.value_length; d += lanes::width) {
        add_values<count, 1>(from, rows, sums, d, first, begin, end);
    }
}

void attend(const cache & from, tile & queries, float scale) {
    for (int r = 0; r < queries.count; r++) {
        queries.rows[r].largest = NOTHING;
        queries.rows[r].sum     = lanes::all(0);
        std::fill(queries.sums[r], queries.sums[r] + from.value_length, 0.0F);
    }
    for (int64_t first = 0; first < from.count; first += BLOCK) {
        int r = 0;
        for (; r + ROWS <= queries.count; r += ROWS) {
            attend_block<ROWS>(from, queries.rows + r, queries.sums + r, scale, first);
        }
        for (; r < queries.count; r++) {
            attend_block<1>(from, queries.rows + r, queries.sums + r, scale, first);
        }
    }
    for (int r = 0; r < queries.count; r++) {
        const float sum     = queries.rows[r].sum.sum();
        const lanes inverse = lanes::all(sum == 0.0F ? 0.0F : 1.0F / sum);
        for (int64_t d = 0; d < from.value_length; d += lanes::width) {
            lanes::load(queries.sums[r] + d).times(inverse).store(queries.rows[r].out + d);
        }
    }
}

template <typename T> T * at(const ggml_tensor * tensor, int64_t i1, int64_t i2, int64_t i3) {
    return reinterpret_cast<T *>(static_cast<char *>(tensor->data) + i1 * tensor->nb[1] + i2 * tensor->nb[2] +
                                 i3 * tensor->nb[3]);
}

struct parameters {
    float scale;
    float largest_bias;
    float soft_cap;
};

parameters parameters_of(const ggml_tensor * result) {
    parameters read;
    std::memcpy(&read, result->op_params, sizeof(read));
    return read;
}

} // namespace

bool inkling_attention_fits(const ggml_tensor * result) {
    const ggml_tensor * query = result->src[0];
    const ggml_tensor * key   = result->src[1];
    const ggml_tensor * value = result->src[2];
    const ggml_tensor * mask  = result->src[3];
    const ggml_tensor * sinks = result->src[4];
    const auto          fits  = [](int64_t length) {
        return length % lanes::width == 0 && length <= WIDEST;
    };
    const parameters asked  = parameters_of(result);
    const bool       halves = key->type == GGML_TYPE_F16 && value->type == GGML_TYPE_F16;
    return query->type == GGML_TYPE_F32 && halves && (mask == nullptr || mask->type == GGML_TYPE_F16) &&
           sinks == nullptr && asked.largest_bias == 0.0F && asked.soft_cap == 0.0F && fits(key->ne[0]) &&
           fits(value->ne[0]) && key->ne[2] == value->ne[2] && key->ne[3] == value->ne[3];
}

void inkling_attend(const ggml_tensor * result, int64_t first, int64_t end) {
    const ggml_tensor * query  = result->src[0];
    const ggml_tensor * key    = result->src[1];
    const ggml_tensor * value  = result->src[2];
    const ggml_tensor * mask   = result->src[3];
    const int64_t       tokens = query->ne[1];
    const int64_t       heads  = query->ne[2];
    const float         scale  = parameters_of(result).scale;
    tile                queries;
    for (int64_t number = first; number < end;) {
        // The cache that the first row of the tile reads.
        const int64_t cache_head     = number / tokens % heads / (heads / key->ne[2]);
        const int64_t cache_sequence = number / tokens / heads / (query->ne[3] / key->ne[3]);
        for (queries.count = 0; number < end && queries.count < TILE; number++, queries.count++) {
            const int64_t token    = number % tokens;
            const int64_t head     = number / tokens % heads;
            const int64_t sequence = number / tokens / heads;
            if (head / (heads / key->ne[2]) != cache_head || sequence / (query->ne[3] / key->ne[3]) != cache_sequence) {
                break;
            }
            row & next = queries.rows[queries.count];
            next.query = at<const float>(query, token, head, sequence);
            next.mask =
                mask == nullptr ? nullptr : at<const uint16_t>(mask, token, head % mask->ne[2], sequence % mask->ne[3]);
            // Heads of a token follow one another in the result.
            next.out = at<float>(result, head, token, sequence);
        }
        const cache from = {key->ne[1],  at<const char>(key, 0, cache_head, cache_sequence),   key->nb[1],
                            key->ne[0],  at<const char>(value, 0, cache_head, cache_sequence), value->nb[1],
                            value->ne[0]};
        attend(from, queries, scale);
    }
}

#else

bool inkling_attention_fits(const ggml_tensor *) {
    return false;
}

void inkling_attend(const ggml_tensor *, int64_t, int64_t) {}

#endif

// A state that is not a number must not outlive its prompt. Cells that nobody sees and a state that is multiplied by
// zero would bring it back.
#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include "llama.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

using namespace inkling;
using inkling_test::error_code_of;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::tiny;

namespace {

const std::string PREFIX = "export function sum(a: number, b: number): number {\n  return ";
const std::string SUFFIX = "\n}\n";

// Reads the state of sequence 0 and writes back what `change` makes of it.
template <typename function> void rewrite_state(llama_context * handle, uint32_t flags, const function & change) {
    std::vector<uint8_t> state(llama_state_seq_get_size_ext(handle, 0, flags));
    CHECK_EQUAL(llama_state_seq_get_data_ext(handle, state.data(), state.size(), 0, flags), state.size());
    change(state);
    CHECK_EQUAL(llama_state_seq_set_data_ext(handle, state.data(), state.size(), 0, flags), state.size());
}

// All bits set are no number, in half and in single precision.
void spoil(uint8_t * from, size_t bytes) {
    std::memset(from, 0xFF, bytes);
}

// Some values of one layer.
void spoil_recurrent_state(llama_context * handle) {
    rewrite_state(handle, LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY, [](std::vector<uint8_t> & state) {
        constexpr size_t PART = 4 * sizeof(float);
        CHECK(state.size() > 1024);
        spoil(state.data() + state.size() / 2 / PART * PART, PART);
    });
}

// The keys of the first layer, which follow the cells as llama_kv_cache::state_write writes them.
void spoil_keys(llama_context * handle) {
    rewrite_state(handle, 0, [](std::vector<uint8_t> & state) {
        size_t     at   = sizeof(uint32_t) + sizeof(int32_t);
        const auto read = [&](auto value) {
            std::memcpy(&value, state.data() + at, sizeof(value));
            at += sizeof(value);
            return value;
        };
        CHECK_EQUAL(read(uint32_t{}), 1u); // streams
        const size_t cells = read(uint32_t{});
        at += cells * 3 * sizeof(int32_t);
        at += 2 * sizeof(uint32_t);      // transposed, layers
        CHECK_EQUAL(read(int32_t{}), 1); // half precision
        const auto row  = static_cast<size_t>(read(uint64_t{}));
        const bool fits = cells > 0 && row > 0 && cells * row < state.size() - at;
        CHECK(fits);
        spoil(state.data() + at, fits ? cells * row : 0);
    });
}

// A long prompt leads to such a state, and then others come, whose last cells lie among those of the first. Whether the
// answer in between fails depends on the weights: quantized ones make numbers of what is none.
void check_recovers(const inkling_test::slot_options & options, void (*spoil_state)(llama_context *)) {
    const auto on     = make_slot(options);
    auto       longer = fim_request(PREFIX + PREFIX + PREFIX, SUFFIX, 4);
    run_on(*on, longer);
    spoil_state(on->ctx().handle());
    longer.max_tokens = 8;
    error_code_of([&] { run_on(*on, longer); });
    for (const std::string typed : {"", "a", "a +", "a + b"}) {
        const auto request = fim_request(PREFIX, SUFFIX, 6, typed);
        CHECK_SAME_ANSWER(run_on(*on, request), run_on(*make_slot(options), request));
    }
}

} // namespace

TEST("after a recurrent state that is not a number, the slot answers as a fresh one") {
    for (const std::string name : {"mamba2", "qwen35moe+mtp", "granitehybrid"}) {
        check_recovers(tiny(name), spoil_recurrent_state);
    }
}

TEST("after keys that are not numbers, the slot answers as a fresh one") {
    check_recovers(tiny("qwen2"), spoil_keys);
}

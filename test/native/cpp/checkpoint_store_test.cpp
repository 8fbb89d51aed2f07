#include "check.h"

#include "engine/state/checkpoint_store.h"

using namespace inkling;

namespace {

checkpoint make(int32_t length, checkpoint_kind kind = checkpoint_kind::interval, size_t bytes = 10) {
    return {length, kind, state_copy(bytes, static_cast<uint8_t>(length))};
}

std::string lengths(const checkpoint_store & store) {
    std::string text;
    for (const int32_t length : store.lengths()) {
        text += std::to_string(length) + " ";
    }
    return text;
}

} // namespace

TEST("find gives the nearest checkpoint below a length, and a cut drops those beyond it") {
    checkpoint_store store(1000);
    for (const int32_t length : {30, 10, 20}) {
        CHECK(store.add(make(length)));
    }
    CHECK_EQUAL(lengths(store), "10 20 30 ");
    CHECK(store.find(20) != nullptr && store.find(20)->state[0] == 20);
    CHECK(store.find(15) == nullptr);
    CHECK_EQUAL(store.nearest_at_most(29), 20);
    CHECK_EQUAL(store.nearest_at_most(30), 30);
    CHECK_EQUAL(store.nearest_at_most(9), 0);
    store.truncate(20);
    CHECK_EQUAL(lengths(store), "10 20 ");
    // The store keeps the dropped checkpoint's buffer for the next one.
    CHECK_EQUAL(store.bytes(), 30u);
    CHECK(!store.needs_memory(10));
    CHECK_EQUAL(store.take_buffer(10).size(), 10u);
    CHECK_EQUAL(store.bytes(), 20u);
    CHECK(store.needs_memory(10));
    store.clear();
    CHECK_EQUAL(store.size(), 0u);
    store.shrink_to(0);
    CHECK_EQUAL(store.bytes(), 0u);
}

TEST("a checkpoint replaces one of the same length and keeps the stronger kind") {
    checkpoint_store store(1000);
    store.add(make(10, checkpoint_kind::boundary, 10));
    store.add(make(10, checkpoint_kind::interval, 30));
    CHECK_EQUAL(store.size(), 1u);
    CHECK_EQUAL(store.bytes(), 40u);
    CHECK(store.find(10)->kind == checkpoint_kind::boundary);
}

TEST("over budget, the store drops the checkpoint that saves the least evaluation per byte") {
    checkpoint_store store(30);
    store.add(make(100));
    store.add(make(110));
    store.add(make(200));
    // The next one takes the place of one of them.
    CHECK(!store.needs_memory(10));
    store.add(make(300));
    CHECK_EQUAL(lengths(store), "100 200 300 ");
    CHECK(!store.add(make(400, checkpoint_kind::interval, 31)));
    CHECK_EQUAL(lengths(store), "100 200 300 ");
}

TEST("boundary and completion checkpoints outlive interval checkpoints of the same spacing") {
    checkpoint_store store(40);
    store.add(make(40));
    store.add(make(80, checkpoint_kind::boundary));
    store.add(make(120));
    store.add(make(124, checkpoint_kind::completion));
    store.add(make(128, checkpoint_kind::completion));
    CHECK(store.find(128) != nullptr && store.find(80) != nullptr && store.find(124) != nullptr);
    CHECK_EQUAL(store.size(), 4u);
}

TEST("the store keeps the checkpoint before the middle to the last: the next keystroke returns to it") {
    // Prefix, suffix, middle, start of the typed line; then the generated tokens and a chunk of the prefill.
    checkpoint_store store(1000);
    for (const int32_t length : {7, 405, 1145, 1205}) {
        store.add(make(length, checkpoint_kind::boundary));
    }
    for (const int32_t length : {1213, 1221, 1229, 1237}) {
        store.add(make(length, checkpoint_kind::completion));
    }
    store.add(make(533));
    store.shrink_to(40);
    CHECK_EQUAL(lengths(store), "405 1145 1205 1237 ");
    store.shrink_to(30);
    CHECK_EQUAL(lengths(store), "405 1145 1205 ");
}

TEST("shrink_to frees whole checkpoints") {
    checkpoint_store store(1000);
    for (const int32_t length : {10, 20, 30, 40}) {
        store.add(make(length));
    }
    store.shrink_to(25);
    CHECK_EQUAL(store.size(), 2u);
    CHECK_EQUAL(store.bytes(), 20u);
    store.shrink_to(0);
    CHECK_EQUAL(store.size(), 0u);
    CHECK_EQUAL(store.bytes(), 0u);
}

TEST("what shrink_to drops can be given to another store, which takes as much as its budget has room for") {
    checkpoint_store from(1000);
    for (const int32_t length : {10, 20, 30, 40}) {
        from.add(make(length));
    }
    std::vector<state_copy> dropped;
    from.shrink_to(10, &dropped);
    CHECK_EQUAL(from.bytes(), 10u);
    CHECK_EQUAL(dropped.size(), 3u);
    const uint8_t * const memory = dropped[1].data();

    checkpoint_store to(25);
    to.give(std::move(dropped));
    CHECK_EQUAL(to.bytes(), 20u);
    CHECK(to.take_buffer(10).data() == memory);
    to.shrink_to(0);
    CHECK_EQUAL(to.bytes(), 0u);

    checkpoint_store large(1'000'000);
    large.give(std::vector<state_copy>(100, state_copy(10)));
    CHECK_EQUAL(large.bytes(), 80u);
}

TEST("a store with no budget keeps nothing") {
    checkpoint_store store(0);
    CHECK(!store.add(make(10)));
    CHECK_EQUAL(store.size(), 0u);
}

TEST("a copy of a state keeps its bytes as it grows, large or small, and memory that is not there is refused") {
    for (const size_t bytes : {size_t{1}, size_t{4} << 20, (size_t{5} << 20) + 3}) {
        state_copy copy(bytes);
        for (size_t i = 0; i < bytes; ++i) {
            copy[i] = static_cast<uint8_t>(i * 31);
        }
        copy.resize(bytes + (6 << 20));
        copy.back() = 1;
        bool same   = true;
        for (size_t i = 0; i < bytes; ++i) {
            same = same && copy[i] == static_cast<uint8_t>(i * 31);
        }
        CHECK(same);
    }
    bool refused = false;
    try {
        state_copy().resize(SIZE_MAX / 4);
    } catch (const std::bad_alloc &) {
        refused = true;
    }
    CHECK(refused);
}

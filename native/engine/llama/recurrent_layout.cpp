#include "engine/llama/recurrent_layout.h"

#include <cstring>
#include <optional>

namespace inkling {

namespace {

// A magic number and the sequence, before every state.
constexpr size_t   HEADER     = sizeof(uint32_t) + sizeof(int32_t);
// A key-value cache of one stream without cells, as llama_kv_cache::state_write writes it.
constexpr uint32_t NO_CELLS[] = {1, 0};

// Reads what llama.cpp writes for a state, without going beyond its end.
class state_reader {
  public:
    explicit state_reader(const state_copy & state) : state_(state) {}

    size_t position() const { return position_; }
    bool   failed() const { return failed_; }

    template <typename number> number read() {
        number value{};
        if (room_for(sizeof(value))) {
            std::memcpy(&value, state_.data() + position_, sizeof(value));
            position_ += sizeof(value);
        }
        return value;
    }

    void skip(uint64_t count, uint64_t size) {
        if (size == 0 || (count <= state_.size() / size && room_for(count * size))) {
            position_ += count * size;
        } else {
            failed_ = true;
        }
    }

  private:
    bool room_for(uint64_t bytes) {
        failed_ = failed_ || bytes > state_.size() - position_;
        return !failed_;
    }

    const state_copy & state_;
    size_t             position_ = 0;
    bool               failed_   = false;
};

// Where the key-value cache after the header ends; nothing if it is not as llama_kv_cache::state_write writes
// it.
std::optional<size_t> end_of_cache(const state_copy & state) {
    state_reader reader(state);
    reader.skip(1, HEADER);
    const auto streams = reader.read<uint32_t>();
    const auto cells   = reader.read<uint32_t>();
    if (streams != 1) {
        return std::nullopt;
    }
    if (cells == 0) {
        return reader.position();
    }
    // Position, number of sequences, and the sequence.
    reader.skip(cells, sizeof(int32_t) + sizeof(uint32_t) + sizeof(int32_t));
    const auto transposed = reader.read<uint32_t>();
    const auto layers     = reader.read<uint32_t>();
    for (uint32_t layer = 0; layer < layers && !reader.failed(); ++layer) {
        reader.read<int32_t>(); // type
        reader.skip(cells, reader.read<uint64_t>());
    }
    for (uint32_t layer = 0; layer < layers && !reader.failed(); ++layer) {
        reader.read<int32_t>(); // type
        if (transposed == 0) {
            reader.skip(cells, reader.read<uint64_t>());
        } else {
            const uint64_t element = reader.read<uint32_t>();
            const uint64_t width   = reader.read<uint32_t>();
            reader.skip(cells, element * width);
        }
    }
    return reader.failed() ? std::nullopt : std::optional(reader.position());
}

// Whether a recurrent state of one cell begins there, as llama_memory_recurrent::state_write writes it.
bool is_recurrent(const state_copy & state, size_t at) {
    state_reader reader(state);
    reader.skip(at, 1);
    const auto cells     = reader.read<uint32_t>();
    const auto position  = reader.read<int32_t>();
    const auto sequences = reader.read<uint32_t>();
    return !reader.failed() && cells == 1 && position >= 0 && sequences == 0;
}

} // namespace

void recurrent_layout::measure(const state_copy & partial_state) {
    const auto cache = windowed_ ? end_of_cache(partial_state) : std::nullopt;
    if (cache && *cache > HEADER + sizeof(NO_CELLS) && is_recurrent(partial_state, *cache)) {
        plane_bytes_ = HEADER + partial_state.size() - *cache;
    } else if (!windowed_ || is_recurrent(partial_state, HEADER)) {
        windowed_    = false;
        plane_bytes_ = partial_state.size();
    }
}

state_copy recurrent_layout::copy_of(const state_copy & partial_state) const {
    const auto cache = end_of_cache(partial_state);
    if (!cache || HEADER + partial_state.size() - *cache != plane_bytes_ || !is_recurrent(partial_state, *cache)) {
        return {};
    }
    state_copy copy(plane_bytes_);
    std::memcpy(copy.data(), partial_state.data(), HEADER);
    std::memcpy(copy.data() + HEADER, partial_state.data() + *cache, copy.size() - HEADER);
    return copy;
}

state_copy recurrent_layout::partial_state_of(const state_copy & copy) const {
    state_copy state(copy.size() + sizeof(NO_CELLS));
    std::memcpy(state.data(), copy.data(), HEADER);
    std::memcpy(state.data() + HEADER, NO_CELLS, sizeof(NO_CELLS));
    std::memcpy(state.data() + HEADER + sizeof(NO_CELLS), copy.data() + HEADER, copy.size() - HEADER);
    return state;
}

} // namespace inkling

#pragma once

#include "engine/base/state_copy.h"

#include <cstddef>
#include <cstdint>

namespace inkling {

// Where the recurrent state lies in the bytes that llama.cpp gives for a partial state.
//
// With a sliding window, a partial state also holds the keys and values of the window. It grows with them, and reading
// it back would move them to other cells. They need no copy, because the cache keeps all cells (swa_full) and gives
// back those after any position. So only the recurrent part is kept, and it is read back after a header that names no
// cells.
class recurrent_layout {
  public:
    // `windowed`: the model has a sliding window.
    explicit recurrent_layout(bool windowed) : windowed_(windowed) {}

    // Learns the size from a partial state of at least one token. It stays 0 where the layout is not as expected.
    void   measure(const state_copy & partial_state);
    // Bytes of a copy.
    size_t plane_bytes() const { return plane_bytes_; }
    // Otherwise the partial state is the copy.
    bool   windowed() const { return windowed_; }

    // Precondition of both: windowed(). The first returns an empty copy where the layout is not as expected.
    state_copy copy_of(const state_copy & partial_state) const;
    state_copy partial_state_of(const state_copy & copy) const;

  private:
    bool   windowed_;
    size_t plane_bytes_ = 0;
};

} // namespace inkling

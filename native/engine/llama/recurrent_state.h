#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

struct llama_context;

namespace inkling {

// Copies the recurrent state of a context's only sequence to host memory and back, without keys and values.
//
// With a sliding window, llama.cpp's partial state also holds the keys and values of the window. It grows with them,
// and reading it back would move them to other cells. They need no copy, because the cache keeps all cells (swa_full)
// and gives back those behind any position. So only the recurrent part is kept, and it is read back behind a header
// that names no cells.
class recurrent_state {
  public:
    // windowed: the model has a sliding window.
    recurrent_state(llama_context * handle, bool windowed) : handle_(handle), windowed_(windowed) {}

    // Learns the size of the state. Call it when tokens are evaluated; before, plane_bytes() is 0. Where llama.cpp's
    // layout is not as expected, it stays 0.
    void   measure();
    size_t plane_bytes() const { return plane_bytes_; }

    // Precondition: state.size() is plane_bytes(). Both return false where they failed; a failed load leaves nothing to
    // go on with.
    bool save(std::vector<uint8_t> & state) const;
    bool load(const std::vector<uint8_t> & state) const;

  private:
    llama_context * handle_;
    size_t          plane_bytes_ = 0;
    bool            windowed_;
};

} // namespace inkling

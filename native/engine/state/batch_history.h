#pragma once

#include <cstdint>
#include <vector>

namespace inkling {

// In which batches the tokens of a sequence were evaluated, as far as it matters.
//
// Kernels for many rows sum in another order than those for one, and quantized activations blow the difference up: on
// a CPU the same token's logits differ by 0.5 after batches of another size. Batches of at most exact_rows tokens give
// the very numbers of single tokens, so any mixture of those counts as one "free" stretch. Two states with equal paths
// are equal to the last bit.
class batch_history {
  public:
    // 0: batch sizes are not told apart; every path is equal.
    explicit batch_history(int32_t exact_rows) : exact_rows_(exact_rows) {}

    // Of batches that come; those that were keep their paths. Precondition: neither this nor the present number is 0.
    void     set_exact_rows(int32_t exact_rows) { exact_rows_ = exact_rows; }
    // count tokens were evaluated in one batch.
    void     append(int32_t count);
    void     truncate(int32_t length);
    void     clear();
    int32_t  length() const { return length_; }
    // The path to `length` tokens; 0 if no batch ended there and no free stretch covers it.
    uint64_t path_at(int32_t length) const;

  private:
    struct batch {
        int32_t  end;
        uint64_t path;
        bool     free;
    };

    static uint64_t mix(uint64_t path, uint64_t value);

    int32_t            exact_rows_;
    int32_t            length_ = 0;
    std::vector<batch> batches_;
};

// How a prompt of `total` tokens is to be evaluated: up to its last mark in batches of batch_size counted from each
// mark, behind it freely. Ends of batches, ascending, the last mark among them.
std::vector<int32_t> batch_ends(const std::vector<int32_t> & boundaries, int32_t total, int32_t batch_size);

} // namespace inkling

#pragma once

#include <cstdint>
#include <vector>

namespace inkling {

// In which batches the tokens of a sequence were evaluated, as far as it matters.
//
// Kernels for many rows sum in another order than those for one, and quantized activations enlarge the difference: on a
// CPU the logits of the same token differ by 0.5 after batches of another size. Batches of at most exact_rows tokens
// give the same numbers as single tokens, so any mixture of them counts as one "free" stretch. Two states with equal
// paths are equal to the last bit.
class batch_history {
  public:
    // 0: batch sizes are not told apart; every path is equal.
    explicit batch_history(int32_t exact_rows) : exact_rows_(exact_rows) {}

    // For later batches; earlier ones keep their paths. Precondition: neither this nor the present number is 0.
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

// How a prompt of `total` tokens is evaluated: up to its last section boundary in batches of batch_size, counted from
// each boundary; behind the last one freely. Returns the ends of the batches, ascending, the last boundary among them.
std::vector<int32_t> batch_ends(const std::vector<int32_t> & boundaries, int32_t total, int32_t batch_size);

} // namespace inkling

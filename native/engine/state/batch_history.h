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
//
// Kernels that take many rows work on blocks of BATCH_BLOCK. So batches of a section that begin at multiples of it, and
// are no shorter, give the same numbers however many blocks each has: batch_pace may choose their length.
class batch_history {
  public:
    // exact_rows = 0: batch sizes are not told apart; every path is equal. block as block_of says.
    explicit batch_history(int32_t exact_rows, int32_t block = 0) : exact_rows_(exact_rows), block_(block) {}

    // For later batches; earlier ones keep their paths. Precondition: both this and the present number are 0, or
    // neither.
    void     set_exact_rows(int32_t exact_rows) { exact_rows_ = exact_rows; }
    // count tokens were evaluated in one batch.
    void     append(int32_t count);
    void     truncate(int32_t length);
    void     clear();
    int32_t  length() const { return length_; }
    // The path to `length` tokens; 0 if no batch ended there and no free stretch covers it.
    uint64_t path_at(int32_t length) const;
    // The end of the batch or free stretch in which the last of the first `length` tokens was evaluated. Precondition:
    // 1 <= length <= length().
    int32_t  end_of(int32_t length) const;

  private:
    struct batch {
        int32_t  end;
        uint64_t path;
        bool     free;
    };

    static uint64_t mix(uint64_t path, uint64_t value);
    void            append_batch(int32_t count, bool free);

    int32_t            exact_rows_;
    int32_t            block_;
    int32_t            length_ = 0;
    std::vector<batch> batches_;
};

constexpr int32_t BATCH_BLOCK = 64;

// The blocks that batches of a context may consist of. The last of a section is up to one token short of two. 0: a
// context with batches this short evaluates in batches of one length.
int32_t block_of(int32_t batch_size);

// How a prompt of `total` tokens is evaluated: up to its last section boundary in blocks, or batches of batch_size
// where there are none, counted from each boundary; after the last one freely. Returns where a batch may end,
// ascending, the last boundary among them.
std::vector<int32_t> batch_ends(const std::vector<int32_t> & boundaries, int32_t total, int32_t batch_size);

// The furthest of those ends that a batch of at most `most` tokens reaches from `position` in its section; the next one
// if none is that near. `position` itself after the last one. Precondition: 0 or one of the ends.
int32_t batch_end(const std::vector<int32_t> & ends, const std::vector<int32_t> & boundaries, int32_t position,
                  int32_t most);

} // namespace inkling

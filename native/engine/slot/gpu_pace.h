#pragma once

#include "engine/state/checkpoint_store.h"

#include <cstdint>

namespace inkling {

// How long a GPU takes for evaluations and for copies of state, and what is worth its time by that. A large model's
// recurrent state is tens of megabytes: while they are copied to host memory, the GPU could evaluate many tokens. A CPU
// could evaluate a few. The best times so far count, both of a long prompt's batches and of copies. A copy is free
// before any was observed. Memory that nothing was copied to before takes several times as long: the driver must
// allocate, clear and pin it first.
class gpu_pace {
  public:
    // Rows of the longest short batch. GPUs multiply up to eight rows by the kernels for one, and more by others, which
    // are made for many: there nine rows take as long as 64 (a model of 4B on an H100: 13 ms for eight, 42 for nine).
    static constexpr int32_t SHORT_ROWS = 8;

    // A batch of a prompt took `ms`.
    void observe_batch(int32_t tokens, double ms);
    // Measured in idle time: a batch of SHORT_ROWS rows, and one of a row more. Batches of a prompt correct them, since
    // attention takes longer behind a longer context. Later measurements do too, as far as they are longer: another
    // program may have had the GPU meanwhile.
    void observe_short(double short_ms, double long_ms);
    // A copy of `bytes` took `ms`. fresh: with the allocation of its memory.
    void observe_copy(uint64_t bytes, double ms, bool fresh);

    // How many of the next `tokens` tokens to evaluate in one batch, so that all of them take least.
    int32_t first_of(int32_t tokens) const;
    // How many tokens of a long prompt are evaluated in the time of a copy into fresh memory.
    double  tokens_of(uint64_t bytes) const;
    // gap: tokens since the last checkpoint, which would be evaluated again without one of `bytes` here. fresh: as
    // above.
    bool    pays(checkpoint_kind kind, int32_t gap, uint64_t bytes, bool fresh) const;

  private:
    // The time of more than SHORT_ROWS tokens in one batch, as far as the limit of a batch allows.
    double at_once_ms(int32_t tokens) const;
    // The time of a few tokens or many, as first_of divides them.
    double evaluation_ms(int32_t tokens) const;
    double copy_ms(uint64_t bytes, bool fresh) const;

    // 0 before the first.
    double token_ms_      = 0.0;
    double short_ms_      = 0.0;
    double long_ms_       = 0.0;
    double byte_ms_       = 0.0;
    double fresh_byte_ms_ = 0.0;
};

} // namespace inkling

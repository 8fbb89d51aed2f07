#include "engine/llama/compute_threads.h"

#include "ggml-cpu.h"
#include "llama.h"

namespace inkling {

namespace {

// Those that computed last on this engine thread.
thread_local compute_threads * awake = nullptr;

} // namespace

void compute_threads::pool_deleter::operator()(ggml_threadpool * pool) const {
    ggml_threadpool_free(pool);
}

compute_threads::compute_threads(int32_t most, bool adapts) : count_(most), adapts_(adapts && most > 1) {}

compute_threads::~compute_threads() {
    if (awake == this) {
        awake = nullptr;
    }
}

void compute_threads::rest() const {
    if (in_batch_) {
        return;
    }
    for (const auto & [threads, pool] : pools_) {
        ggml_threadpool_pause(pool.get());
    }
}

void compute_threads::rest_others() {
    if (awake != nullptr && awake != this) {
        awake->rest();
    }
    awake = this;
}

ggml_threadpool * compute_threads::pool() {
    auto & pool = pools_[count_.now()];
    if (pool == nullptr) {
        ggml_threadpool_params params = ggml_threadpool_params_default(count_.now());
        pool.reset(ggml_threadpool_new(&params));
    }
    return pool.get();
}

compute_threads::turn::turn(compute_threads & threads, llama_context * on)
    : threads_(threads), start_(std::chrono::steady_clock::now()) {
    if (threads_.adapts_) {
        used_ = cpu_time_now();
    }
    threads_.rest_others();
    llama_attach_threadpool(on, threads_.pool(), nullptr);
    llama_set_n_threads(on, threads_.count_.now(), threads_.count_.now());
    threads_.in_batch_ = true;
}

compute_threads::turn::~turn() {
    threads_.in_batch_ = false;
    const auto now     = used_ ? cpu_time_now() : std::nullopt;
    if (!now || now->wall <= used_->wall) {
        return;
    }
    compute_time spent;
    spent.end             = std::chrono::steady_clock::now();
    spent.seconds         = std::chrono::duration<double>(spent.end - start_).count();
    const double unit     = spent.seconds / (now->wall - used_->wall);
    spent.thread_seconds  = unit * (now->thread - used_->thread);
    spent.process_seconds = unit * (now->process - used_->process);
    threads_.count_.observe(spent);
}

} // namespace inkling

#include "engine/engine_thread.h"

#include <algorithm>

namespace inkling {

engine_thread::engine_thread() : thread_([this] { run(); }) {}

engine_thread::~engine_thread() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void engine_thread::post(job_priority priority, std::function<void()> job) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        jobs_[static_cast<size_t>(priority)].push_back(std::move(job));
    }
    wake_.notify_one();
}

bool engine_thread::empty() const {
    return std::all_of(jobs_.begin(), jobs_.end(), [](const auto & queue) { return queue.empty(); });
}

void engine_thread::run() {
    while (true) {
        std::function<void()> job;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !empty(); });
            const auto queue =
                std::find_if(jobs_.rbegin(), jobs_.rend(), [](const auto & waiting) { return !waiting.empty(); });
            if (queue == jobs_.rend()) {
                return;
            }
            job = std::move(queue->front());
            queue->pop_front();
        }
        job();
    }
}

} // namespace inkling

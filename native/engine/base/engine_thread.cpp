#include "engine/base/engine_thread.h"

#include <algorithm>
#include <utility>

namespace inkling {

namespace {

bool is_aborted(const std::shared_ptr<const abort_flag> & abort) {
    return abort != nullptr && abort->is_set();
}

size_t index_of(job_priority priority) {
    return static_cast<size_t>(priority);
}

} // namespace

engine_thread::engine_thread(std::function<void()> rest) : rest_(std::move(rest)), thread_([this] { run(); }) {}

engine_thread::~engine_thread() {
    end();
}

void engine_thread::end() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void engine_thread::post(job_priority priority, std::function<void()> job, std::shared_ptr<const abort_flag> abort,
                         std::optional<job_needs> needs) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        jobs_[index_of(priority)].push_back({std::move(job), std::move(abort), std::move(needs)});
    }
    wake_.notify_one();
}

void engine_thread::post_at_rest(std::chrono::milliseconds quiet, std::function<void()> job) {
    at_rest_ = resting_job{quiet, std::move(job)};
}

bool engine_thread::empty() const {
    return std::all_of(jobs_.begin(), jobs_.end(), [](const auto & queue) { return queue.empty(); });
}

bool engine_thread::waits_above(job_priority priority) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t level = 0; level < PRIORITIES; ++level) {
        const auto & queue = jobs_[level];
        if (level > index_of(priority) ? !queue.empty() : std::any_of(queue.begin(), queue.end(), [](const auto & job) {
                return is_aborted(job.abort);
            })) {
            return true;
        }
    }
    return false;
}

next_job engine_thread::next_after(const evaluated_text & work, job_priority lowest) const {
    std::optional<job_needs> needs;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto                        is_live = [](const auto & job) {
            return job.needs && !is_aborted(job.abort);
        };
        const auto last  = jobs_.rend() - static_cast<std::ptrdiff_t>(index_of(lowest));
        const auto level = std::find_if(
            jobs_.rbegin(), last, [&](const auto & queue) { return std::any_of(queue.begin(), queue.end(), is_live); });
        if (level == last) {
            return next_job::none;
        }
        needs = std::find_if(level->begin(), level->end(), is_live)->needs;
    }
    return needs->gains_from(work) ? next_job::gains : next_job::loses;
}

std::optional<engine_thread::waiting_job> engine_thread::take(size_t lowest) {
    for (size_t level = PRIORITIES; level-- > 0;) {
        auto &     queue = jobs_[level];
        const auto job   = level >= lowest ? queue.begin()
                                           : std::find_if(queue.begin(), queue.end(),
                                                          [](const auto & waiting) { return is_aborted(waiting.abort); });
        if (job != queue.end()) {
            waiting_job taken = std::move(*job);
            queue.erase(job);
            return taken;
        }
    }
    return std::nullopt;
}

void engine_thread::run_above(job_priority priority) {
    while (true) {
        std::optional<waiting_job> job;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            job = take(index_of(priority) + 1);
        }
        if (!job) {
            return;
        }
        job->run();
    }
}

std::optional<size_t> engine_thread::find_beside(slot_kind used) const {
    const job_queue & queue = jobs_[index_of(job_priority::completion)];
    const auto        found = std::find_if(queue.begin(), queue.end(),
                                           [&](const waiting_job & job) { return job.needs && job.needs->slot != used; });
    if (found == queue.end() || !jobs_[index_of(job_priority::control)].empty()) {
        return std::nullopt;
    }
    return static_cast<size_t>(found - queue.begin());
}

bool engine_thread::waits_beside(slot_kind used) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return find_beside(used).has_value();
}

void engine_thread::run_beside(slot_kind used) {
    while (true) {
        waiting_job job;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            const auto                        place = find_beside(used);
            if (!place) {
                return;
            }
            job_queue & queue = jobs_[index_of(job_priority::completion)];
            job               = std::move(queue[*place]);
            queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(*place));
        }
        job.run();
    }
}

void engine_thread::run() {
    while (const std::function<void()> job = next()) {
        job();
    }
}

std::function<void()> engine_thread::next() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!stopping_ && empty()) {
        lock.unlock();
        rest_();
        lock.lock();
    }
    const auto due = [this] {
        return stopping_ || !empty();
    };
    if (at_rest_ && !wake_.wait_for(lock, at_rest_->quiet, due)) {
        return std::exchange(at_rest_, std::nullopt)->run;
    }
    wake_.wait(lock, due);
    std::optional<waiting_job> job = take(0);
    return job ? std::move(job->run) : std::function<void()>();
}

} // namespace inkling

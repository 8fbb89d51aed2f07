#include "engine/base/log.h"

#include "engine/base/process_memory.h"

#include "llama.h"

#include <map>
#include <mutex>

namespace inkling {

namespace {

std::mutex & sink_mutex() {
    static std::mutex mutex;
    return mutex;
}

std::map<int, log_sink> & sinks() {
    static std::map<int, log_sink> map;
    return map;
}

thread_local error_log_capture * current_capture = nullptr;
thread_local bool                muted           = false;

void on_llama_log(ggml_log_level level, const char * text, void *) {
    // A continuation belongs to the line before it; only load progress dots come that way.
    if (text == nullptr || level == GGML_LOG_LEVEL_CONT) {
        return;
    }
    if (level == GGML_LOG_LEVEL_ERROR) {
        for (error_log_capture * each = current_capture; each != nullptr; each = each->outer()) {
            each->append(text);
        }
    }
    if (muted) {
        return;
    }
    const std::lock_guard<std::mutex> lock(sink_mutex());
    for (const auto & [id, sink] : sinks()) {
        sink(static_cast<int>(level), text);
    }
}

} // namespace

int add_log_sink(log_sink sink) {
    static int                        next_id = 1;
    const std::lock_guard<std::mutex> lock(sink_mutex());
    sinks().emplace(next_id, std::move(sink));
    return next_id++;
}

void remove_log_sink(int id) {
    const std::lock_guard<std::mutex> lock(sink_mutex());
    sinks().erase(id);
}

error_log_capture::error_log_capture() : outer_(current_capture) {
    current_capture = this;
}

error_log_capture::~error_log_capture() {
    current_capture = outer_;
}

log_mute::log_mute() : outer_(muted) {
    muted = true;
}

log_mute::~log_mute() {
    muted = outer_;
}

void initialise_backend() {
    static std::once_flag once;
    std::call_once(once, [] {
        return_large_blocks();
        llama_log_set(on_llama_log, nullptr);
        llama_backend_init();
    });
}

} // namespace inkling

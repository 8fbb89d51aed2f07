#pragma once

#include <functional>
#include <string>

namespace inkling {

// 1 debug, 2 info, 3 warning, 4 error: ggml's levels.
using log_sink = std::function<void(int level, const std::string & text)>;

// llama.cpp has one log callback for the whole process; every sink gets every line. Thread-safe. A sink is called on
// the thread that logs, and must not log.
int  add_log_sink(log_sink sink);
void remove_log_sink(int id);

// Collects the error lines that llama.cpp writes on this thread during this object's life. llama.cpp says only there
// why a model failed to load.
class error_log_capture {
  public:
    error_log_capture();
    ~error_log_capture();
    error_log_capture(const error_log_capture &)             = delete;
    error_log_capture & operator=(const error_log_capture &) = delete;

    const std::string & text() const { return text_; }
    error_log_capture * outer() const { return outer_; }
    void                append(const std::string & line) { text_ += line; }

  private:
    error_log_capture * outer_;
    std::string         text_;
};

// Keeps what llama.cpp logs on this thread from the sinks during this object's life. For failures that were asked for.
class log_mute {
  public:
    log_mute();
    ~log_mute();
    log_mute(const log_mute &)             = delete;
    log_mute & operator=(const log_mute &) = delete;

  private:
    bool outer_;
};

// Idempotent: starts ggml's backends, takes over their log and sets the allocator up (return_large_blocks).
void initialise_backend();

} // namespace inkling

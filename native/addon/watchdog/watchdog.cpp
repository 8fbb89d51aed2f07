#include "addon/watchdog/watchdog.h"

#include <chrono>
#include <cstdlib>
#include <string>

#if defined(_WIN32)
#include <io.h>
#include <windows.h>
#else
#include <poll.h>
#include <unistd.h>
#endif

namespace inkling {

namespace {

constexpr uint32_t TURN_MS = 250;

// A loop that is silent for this long while the process should end will not end it by itself.
constexpr uint32_t STUCK_TURNS = 8;

constexpr int EXIT_CODE = 1;

uint32_t turns(uint32_t milliseconds) {
    return milliseconds / TURN_MS + (milliseconds % TURN_MS == 0 ? 0 : 1);
}

} // namespace

watchdog::watchdog(uint32_t stall_ms, uint32_t abandoned_ms)
    : stall_turns_(turns(stall_ms)), abandoned_turns_(turns(abandoned_ms)) {
    thread_ = std::thread([this] { run(); });
}

watchdog::~watchdog() {
    stop();
}

void watchdog::follow(int64_t process_id) {
    const std::lock_guard lock(mutex_);
    client_ = watched_process(process_id);
}

void watchdog::watch_sigterm() {
    const std::lock_guard lock(mutex_);
    if (!termination_ && !stopped_) {
        earlier_terminations_ = termination_signal::count();
        termination_.emplace();
    }
}

void watchdog::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        termination_.reset();
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void watchdog::run() {
    uint64_t         seen      = 0;
    uint32_t         silent    = 0;
    uint32_t         abandoned = 0;
    uint32_t         asked     = 0;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(TURN_MS), [this] { return stopped_; })) {
        const uint64_t beats = beats_.load(std::memory_order_relaxed);
        silent               = beats == seen ? silent + 1 : 0;
        seen                 = beats;
        abandoned            = abandoned_turns_ > 0 && client_.is_gone() ? abandoned + 1 : 0;
        if (stall_turns_ > 0 && silent >= stall_turns_) {
            end_process("its JavaScript loop stands still");
        }
        const bool is_stuck = stall_turns_ > 0 && silent >= STUCK_TURNS;
        if (abandoned > 0 && (is_stuck || abandoned >= abandoned_turns_)) {
            end_process("its client is gone");
        }
        asked = termination_ && termination_signal::count() > earlier_terminations_ ? asked + 1 : 0;
        if (is_stuck && asked >= STUCK_TURNS) {
            end_process("it was asked to, and its JavaScript loop stands still");
        }
    }
}

// Without destructors and exit handlers: other threads may hold any lock.
void watchdog::end_process(std::string_view reason) {
    const std::string line = "inkling: the process ends, as " + std::string(reason) + "\n";
#if defined(_WIN32)
    // A pipe that nobody reads blocks its writer.
    std::thread([line] { (void) _write(2, line.data(), static_cast<unsigned>(line.size())); }).detach();
    Sleep(TURN_MS);
    TerminateProcess(GetCurrentProcess(), EXIT_CODE);
    std::abort();
#else
    // A pipe that nobody reads blocks its writer. One that is ready takes a line at once.
    pollfd standard_error{STDERR_FILENO, POLLOUT, 0};
    if (poll(&standard_error, 1, 0) == 1 && (standard_error.revents & POLLOUT) != 0) {
        [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
    }
    _exit(EXIT_CODE);
#endif
}

} // namespace inkling

#include "addon/watchdog/termination_signal.h"

#include <atomic>
#include <mutex>

#if !defined(_WIN32)
#include <csignal>
#endif

namespace inkling {

namespace {

std::atomic<uint64_t> terminations = 0;
static_assert(std::atomic<uint64_t>::is_always_lock_free, "a signal handler may not lock");

} // namespace

uint64_t termination_signal::count() {
    return terminations.load(std::memory_order_relaxed);
}

#if defined(_WIN32)

termination_signal::termination_signal()  = default;
termination_signal::~termination_signal() = default;

#else

namespace {

std::mutex       users_mutex;
int              users     = 0;
bool             installed = false;
// The handler that was there before ours. It changes only while ours is not installed.
struct sigaction previous;

void on_termination(int signal, siginfo_t * info, void * context) {
    terminations.fetch_add(1, std::memory_order_relaxed);
    // Such a handler, as Node's own, expects the default behind it and raises the signal again.
    if ((previous.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
        std::signal(signal, SIG_DFL);
    }
    if ((previous.sa_flags & SA_SIGINFO) != 0) {
        previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal);
    }
}

bool is_default(const struct sigaction & action) {
    return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

void install() {
    if (sigaction(SIGTERM, nullptr, &previous) != 0 || is_default(previous)) {
        return;
    }
    struct sigaction ours = previous;
    ours.sa_flags         = (previous.sa_flags | SA_SIGINFO) & ~static_cast<int>(SA_RESETHAND);
    ours.sa_sigaction     = on_termination;
    installed             = sigaction(SIGTERM, &ours, nullptr) == 0;
}

// Not where another handler came later: it may call ours.
void uninstall() {
    struct sigaction present;
    const bool       is_ours = sigaction(SIGTERM, nullptr, &present) == 0 && (present.sa_flags & SA_SIGINFO) != 0 &&
                         present.sa_sigaction == on_termination;
    if (installed && is_ours) {
        sigaction(SIGTERM, &previous, nullptr);
    }
    installed = installed && !is_ours;
}

} // namespace

termination_signal::termination_signal() {
    const std::lock_guard lock(users_mutex);
    if (users++ == 0 && !installed) {
        install();
    }
}

termination_signal::~termination_signal() {
    const std::lock_guard lock(users_mutex);
    if (--users == 0) {
        uninstall();
    }
}

#endif

} // namespace inkling

#include "addon/watchdog/watched_process.h"

#include <utility>

#if defined(_WIN32)
#include <windows.h>
#else
#include <cerrno>
#include <csignal>
#include <unistd.h>
#endif

namespace inkling {

#if defined(_WIN32)

watched_process::watched_process(int64_t process_id)
    : handle_(OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(process_id))),
      gone_(handle_ == nullptr && GetLastError() == ERROR_INVALID_PARAMETER) {}

watched_process::~watched_process() {
    if (handle_ != nullptr) {
        CloseHandle(handle_);
    }
}

watched_process::watched_process(watched_process && other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), gone_(other.gone_) {}

watched_process & watched_process::operator=(watched_process && other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(gone_, other.gone_);
    return *this;
}

bool watched_process::is_gone() const {
    return gone_ || (handle_ != nullptr && WaitForSingleObject(handle_, 0) == WAIT_OBJECT_0);
}

#else

watched_process::watched_process(int64_t process_id)
    : process_id_(process_id), is_parent_(process_id == static_cast<int64_t>(getppid())) {}

bool watched_process::is_gone() const {
    if (process_id_ <= 0) {
        return false;
    }
    if (is_parent_) {
        return static_cast<int64_t>(getppid()) != process_id_;
    }
    return kill(static_cast<pid_t>(process_id_), 0) != 0 && errno == ESRCH;
}

#endif

} // namespace inkling

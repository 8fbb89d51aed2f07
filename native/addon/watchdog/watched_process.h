#pragma once

#include <cstdint>

namespace inkling {

// Another process, of which only this is asked: is it gone? Without a process it never is.
class watched_process {
  public:
    watched_process() = default;
    explicit watched_process(int64_t process_id);
#if defined(_WIN32)
    ~watched_process();
    watched_process(const watched_process &)             = delete;
    watched_process & operator=(const watched_process &) = delete;
    watched_process(watched_process && other) noexcept;
    watched_process & operator=(watched_process && other) noexcept;
#endif

    bool is_gone() const;

  private:
#if defined(_WIN32)
    void * handle_ = nullptr;
    // It was gone already when it was looked for.
    bool   gone_   = false;
#else
    int64_t process_id_ = 0;
    // A parent that is gone shows at once, and no later process with its id hides it.
    bool    is_parent_  = false;
#endif
};

} // namespace inkling

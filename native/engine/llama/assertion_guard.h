#pragma once

namespace inkling {

// While one of these lives, an assertion of llama.cpp that fails on this thread throws std::runtime_error instead of
// ending the process. llama.cpp asserts what a model file says. Not for computing: threads that wait for this one would
// wait for ever.
class assertion_guard {
  public:
    assertion_guard();
    ~assertion_guard();
    assertion_guard(const assertion_guard &)             = delete;
    assertion_guard & operator=(const assertion_guard &) = delete;

  private:
    bool outer_;
};

} // namespace inkling

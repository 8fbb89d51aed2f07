// Linked into the tests of the fast flavour. On another processor they count as skipped (ctest's SKIP_RETURN_CODE).
#include <cstdlib>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace {

bool runs_fast_flavour() {
#if defined(__aarch64__)
    return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512bf16");
#endif
}

// Runs before any code that was compiled for that flavour.
__attribute__((constructor(101))) void skip_elsewhere() {
    if (!runs_fast_flavour()) {
        std::_Exit(77);
    }
}

} // namespace

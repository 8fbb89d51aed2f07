// Linked into the tests of the AVX-512 flavour. On another processor they count as skipped (ctest's SKIP_RETURN_CODE).
#include <cstdlib>

namespace {

// Runs before any code that was compiled for AVX-512.
__attribute__((constructor(101))) void skip_elsewhere() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512vnni") || !__builtin_cpu_supports("avx512vbmi") ||
        !__builtin_cpu_supports("avx512bf16")) {
        std::_Exit(77);
    }
}

} // namespace

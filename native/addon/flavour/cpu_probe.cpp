// A separate module without any instruction-set flag. It loads on every processor of its family and says which flavour
// of the addon does.
#include <napi.h>

#include <string>
#include <vector>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace {

#if defined(__aarch64__)

std::vector<std::string> best_first() {
    // As the kernel says it; ARMv8.2 and dot products come together.
    if ((getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0) {
        return {"dotprod", "arm64"};
    }
    return {"arm64"};
}

#else

// The compiler's feature test also asks whether the operating system saves the wide registers.
bool runs_avx2() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("sse4.2");
}

bool runs_avx512() {
    return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16");
}

std::vector<std::string> best_first() {
    if (runs_avx512()) {
        return {"avx512", "avx2"};
    }
    if (runs_avx2()) {
        return {"avx2"};
    }
    return {};
}

#endif

Napi::Value flavours(const Napi::CallbackInfo & info) {
    Napi::Array names = Napi::Array::New(info.Env());
    for (const std::string & name : best_first()) {
        names.Set(names.Length(), name);
    }
    return names;
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
    exports.Set("flavours", Napi::Function::New(env, flavours, "flavours"));
    return exports;
}

} // namespace

NODE_API_MODULE(inkling_cpu, initialise)

// A separate module without any instruction-set flag. It loads on every x86-64 processor and says which flavour of the
// addon does. The compiler's feature test also asks whether the operating system saves the wide registers.
#include <napi.h>

namespace {

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

// Best first.
Napi::Value flavours(const Napi::CallbackInfo & info) {
    Napi::Array names = Napi::Array::New(info.Env());
    if (runs_avx512()) {
        names.Set(names.Length(), "avx512");
    }
    if (runs_avx2()) {
        names.Set(names.Length(), "avx2");
    }
    return names;
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
    exports.Set("flavours", Napi::Function::New(env, flavours, "flavours"));
    return exports;
}

} // namespace

NODE_API_MODULE(inkling_cpu, initialise)

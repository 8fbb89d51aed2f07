#pragma once

#include <napi.h>

namespace inkling {

// What this binary was compiled for: the instruction set avx2, avx512, arm64, dotprod or generic, or vulkan.
const char * addon_flavour();

// Exports that only this flavour has. The module is not usable before.
void add_flavour_exports(Napi::Env env, Napi::Object exports);

} // namespace inkling

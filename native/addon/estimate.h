#pragma once

#include <napi.h>

namespace inkling {

// estimateMemory(options): what `load` with these options would take, from the file's header, on libuv's pool.
Napi::Value estimate_memory_call(const Napi::CallbackInfo & info);

} // namespace inkling

#pragma once

#include <functional>

struct llama_model;

namespace inkling {

// Does work on the model's devices and waits until it is done. llama_synchronize says nothing, and only an error line
// on the calling thread (Metal), a status (Metal, from the next graph on) or an exception (Vulkan) tells that a GPU has
// failed. Results are then stale, so this throws before they are read. CUDA ends the process by itself.
//
// `work` returns a llama_decode status, 0 for success. Statuses other than those of a failed device are returned.
// `what` begins the message, such as "Evaluating 3 tokens". Throws engine_error: device_failed. On the CPU it only
// calls.
int on_devices(const llama_model * model, const char * what, const std::function<int()> & work);

} // namespace inkling

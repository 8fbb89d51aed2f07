#include "engine/memory_report.h"

#include "llama-ext.h"

#if defined(__APPLE__)
#include <mach/mach.h>
#include <sys/resource.h>
#elif defined(__linux__)
#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace inkling {

memory_report measure_memory(const model & loaded, const context & ctx) {
    memory_report report;
    for (const auto & [buffer_type, bytes] : llama_get_memory_breakdown(ctx.handle())) {
        report.context += bytes.context;
        report.compute += bytes.compute;
    }
    // llama.cpp counts a tied embedding once per use; the file counts it once, as memory does.
    report.weights = loaded.facts().weights_bytes;
    report.outputs = static_cast<uint64_t>(loaded.facts().vocabulary_size) * sizeof(float);

    ggml_backend_dev_t device = llama_model_n_devices(loaded.handle()) > 0
                                    ? llama_model_get_device(loaded.handle(), 0)
                                    : ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (device != nullptr) {
        size_t free  = 0;
        size_t total = 0;
        ggml_backend_dev_memory(device, &free, &total);
        report.device_free  = free;
        report.device_total = total;
    }
    return report;
}

uint64_t process_rss() {
#if defined(__APPLE__)
    task_vm_info_data_t    info{};
    mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
    if (task_info(mach_task_self(), TASK_VM_INFO, reinterpret_cast<task_info_t>(&info), &count) == KERN_SUCCESS) {
        return info.phys_footprint;
    }
    return 0;
#elif defined(__linux__)
    unsigned long size     = 0;
    unsigned long resident = 0;
    std::FILE *   file     = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) {
        return 0;
    }
    const int fields = std::fscanf(file, "%lu %lu", &size, &resident);
    std::fclose(file);
    return fields == 2 ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
#else
    return 0;
#endif
}

uint64_t process_peak_rss() {
#if defined(__APPLE__) || defined(__linux__)
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return 0;
    }
#if defined(__APPLE__)
    return static_cast<uint64_t>(usage.ru_maxrss);
#else
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
#endif
#else
    return 0;
#endif
}

} // namespace inkling

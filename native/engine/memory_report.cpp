#include "engine/memory_report.h"

#include "llama-ext.h"

#if defined(__APPLE__)
#include <mach/mach.h>
#include <sys/resource.h>
#elif defined(__linux__)
#include <cstdio>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace inkling {

namespace {

lane_memory measure_lane(const lane & on) {
    const model_facts & facts = on.owner().facts();
    lane_memory         memory;
    uint64_t            cache = 0;
    const auto          add   = [&](const llama_context * handle) {
        for (const auto & [buffer_type, bytes] : llama_get_memory_breakdown(handle)) {
            cache += bytes.context;
            memory.compute += bytes.compute;
        }
    };
    add(on.ctx.handle());
    if (on.mtp != nullptr) {
        add(on.mtp->handle());
    }
    memory.recurrent   = on.ctx.recurrent_bytes();
    memory.kv          = cache - memory.recurrent;
    memory.checkpoints = on.seq.checkpoints().bytes() + on.seq.mark_bytes();
    const auto row     = static_cast<uint64_t>(facts.vocabulary_size) * sizeof(float);
    const auto hidden  = static_cast<uint64_t>(facts.embedding_length) * sizeof(float);
    memory.outputs     = static_cast<uint64_t>(on.ctx.max_logit_rows()) * row;
    if (on.mtp != nullptr) {
        memory.outputs += row + hidden * static_cast<uint64_t>(on.ctx.batch_size()) + on.mtp->pending_bytes();
    }
    return memory;
}

} // namespace

memory_report measure_memory(const lane_set & lanes) {
    const model_facts & facts = lanes.owner().facts();
    memory_report       report;
    // llama.cpp counts a tied embedding once per use; the file counts it once, as memory does.
    report.mtp_weights = facts.mtp_bytes;
    report.weights     = facts.weights_bytes - facts.mtp_bytes;
    report.vocabulary  = lanes.vocabulary().bytes();
    const auto add     = [&](lane_kind kind, lane_memory & part) {
        if (const lane * on = lanes.find(kind)) {
            part = measure_lane(*on);
        }
        part.parked = lanes.parked().bytes(kind);
        report.parked += part.parked;
        report.kv += part.kv;
        report.recurrent += part.recurrent;
        report.checkpoints += part.checkpoints;
        report.compute += part.compute;
        report.outputs += part.outputs;
    };
    add(lane_kind::completion, report.completion);
    add(lane_kind::chat, report.chat);

    const llama_model * loaded = lanes.owner().handle();
    ggml_backend_dev_t  device = llama_model_n_devices(loaded) > 0
                                     ? llama_model_get_device(loaded, 0)
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

void release_freed_memory() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
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

#include "engine/memory/memory_report.h"

#include "llama-ext.h"

#include "ggml-backend.h"

#include <algorithm>
#include <map>

namespace inkling {

namespace {

std::vector<device_memory> measure_devices(const slot_set & slots, uint64_t weights) {
    std::map<ggml_backend_dev_t, device_memory> devices;
    devices[ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU)];
    // Also while no slot exists.
    for (const auto & [device, bytes] : slots.weights_by_device()) {
        devices[device].weights = bytes;
    }
    const auto add = [&](const llama_context * handle) {
        for (const auto & [type, bytes] : llama_get_memory_breakdown(handle)) {
            device_memory & device = devices[device_of(type)];
            device.context += bytes.context;
            device.compute += bytes.compute;
        }
    };
    for (const slot_kind kind : {slot_kind::completion, slot_kind::chat}) {
        if (const slot * on = slots.find(kind)) {
            add(on->ctx().handle());
            if (on->mtp() != nullptr) {
                add(on->mtp()->handle());
            }
        }
    }
    std::vector<device_memory> result;
    device_memory              host;
    for (auto & [device, memory] : devices) {
        size_t free  = 0;
        size_t total = 0;
        ggml_backend_dev_memory(device, &free, &total);
        memory.name        = ggml_backend_dev_name(device);
        memory.description = ggml_backend_dev_description(device);
        memory.free        = free;
        memory.total       = total;
        if (ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU) {
            host = std::move(memory);
        } else {
            memory.weights = std::min(memory.weights, weights);
            weights -= memory.weights;
            result.push_back(std::move(memory));
        }
    }
    // llama.cpp counts mapped weights with the whole range of the file that they lie in, the originals of repacked ones
    // included. So the host has, once, what the GPUs do not hold.
    host.weights = weights;
    result.insert(result.begin(), std::move(host));
    return result;
}

} // namespace

slot_memory measure_contexts(const context & ctx, const mtp_head * mtp) {
    const model_facts & facts = ctx.loaded_model().facts();
    slot_memory         parts;
    const auto          add = [&](const llama_context * handle, uint64_t graphs) {
        for (const auto & [type, bytes] : llama_get_memory_breakdown(handle)) {
            parts.kv += bytes.context;
            parts.compute += bytes.compute;
        }
        parts.graphs += graphs;
    };
    const auto row    = static_cast<uint64_t>(facts.vocabulary_size) * sizeof(float);
    const auto hidden = static_cast<uint64_t>(facts.embedding_length) * sizeof(float);
    add(ctx.handle(), static_cast<uint64_t>(ctx.graphs()) * ctx.graph_bytes());
    parts.outputs = static_cast<uint64_t>(ctx.max_logit_rows()) * row;
    if (mtp != nullptr) {
        add(mtp->handle(), static_cast<uint64_t>(mtp->graphs()) * mtp->graph_bytes());
        // Hidden states of a whole batch leave the trunk; those of the head's batch go in and come out.
        parts.outputs +=
            row + hidden * static_cast<uint64_t>(ctx.batch_size() + 2 * mtp->batch_size()) + mtp->pending_bytes();
    }
    return parts;
}

slot_memory memory_parts::slots() const {
    slot_memory sum = completion;
    sum.kv += chat.kv;
    sum.recurrent += chat.recurrent;
    sum.checkpoints += chat.checkpoints;
    sum.swapped += chat.swapped;
    sum.compute += chat.compute;
    sum.graphs += chat.graphs;
    sum.outputs += chat.outputs;
    return sum;
}

memory_report measure_memory(const slot_set & slots) {
    const model_facts & facts = slots.loaded_model().facts();
    memory_report       report;
    report.mtp_weights = facts.mtp_bytes;
    report.weights     = facts.weights_bytes - facts.mtp_bytes;
    report.vocabulary  = facts.vocabulary_bytes + slots.vocabulary().bytes();
    const auto measure = [&](slot_kind kind) {
        slot_memory memory;
        if (const slot * on = slots.find(kind)) {
            memory           = measure_contexts(on->ctx(), on->mtp());
            // The size of a copy, which is a few bytes larger because it describes itself.
            memory.recurrent = std::min(memory.kv, on->ctx().recurrent_bytes());
            memory.kv -= memory.recurrent;
            memory.checkpoints = on->seq().checkpoints().bytes() + on->seq().savepoint_bytes();
        }
        memory.swapped = slots.swap().bytes(kind);
        return memory;
    };
    report.completion = measure(slot_kind::completion);
    report.chat       = measure(slot_kind::chat);
    report.devices    = measure_devices(slots, facts.weights_bytes);
    return report;
}

} // namespace inkling

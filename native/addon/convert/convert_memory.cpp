// The part of convert.h that turns memory reports and estimates into JavaScript objects.
#include "addon/convert/convert.h"
#include "engine/base/machine_memory.h"
#include "engine/base/process_memory.h"

namespace inkling {

namespace {

void set(Napi::Object object, const char * key, uint64_t bytes) {
    object.Set(key, Napi::Number::New(object.Env(), static_cast<double>(bytes)));
}

void set_slot(Napi::Object object, const slot_memory & memory) {
    set(object, "kvBytes", memory.kv);
    set(object, "recurrentBytes", memory.recurrent);
    set(object, "checkpointBytes", memory.checkpoints);
    set(object, "swappedBytes", memory.swapped);
    set(object, "computeBytes", memory.compute);
    set(object, "graphBytes", memory.graphs);
    set(object, "outputBytes", memory.outputs);
}

Napi::Object slot_object(Napi::Env env, const slot_memory & memory) {
    Napi::Object object = Napi::Object::New(env);
    set_slot(object, memory);
    return object;
}

Napi::Object parts_object(Napi::Env env, const memory_parts & parts) {
    Napi::Object      object = Napi::Object::New(env);
    const slot_memory both   = parts.slots();
    set(object, "totalBytes", parts.total());
    set(object, "weightsBytes", parts.weights);
    set(object, "mtpWeightsBytes", parts.mtp_weights);
    set(object, "vocabularyBytes", parts.vocabulary);
    set(object, "contextBytes", both.kv + both.recurrent);
    set_slot(object, both);
    return object;
}

Napi::Object device_object(Napi::Env env, const device_memory & device) {
    Napi::Object object = Napi::Object::New(env);
    object.Set("name", Napi::String::New(env, device.name));
    object.Set("description", Napi::String::New(env, device.description));
    set(object, "weightsBytes", device.weights);
    set(object, "contextBytes", device.context);
    set(object, "computeBytes", device.compute);
    set(object, "totalBytes", device.total);
    set(object, "freeBytes", device.free);
    return object;
}

} // namespace

Napi::Value to_js(Napi::Env env, const memory_report & report) {
    Napi::Object object = parts_object(env, report);
    object.Set("completion", slot_object(env, report.completion));
    object.Set("chat", slot_object(env, report.chat));
    Napi::Array devices = Napi::Array::New(env, report.devices.size());
    for (uint32_t i = 0; i < report.devices.size(); ++i) {
        devices.Set(i, device_object(env, report.devices[i]));
    }
    object.Set("devices", devices);
    // Where there is a GPU, its memory is the scarce one.
    const device_memory main = report.devices.empty() ? device_memory{} : report.devices.back();
    set(object, "deviceTotalBytes", main.total);
    set(object, "deviceFreeBytes", main.free);
    set(object, "processRssBytes", process_rss());
    set(object, "peakRssBytes", process_peak_rss());
    return object;
}

Napi::Value to_js(Napi::Env env, const memory_estimate & estimate) {
    Napi::Object object = parts_object(env, estimate.parts);
    set(object, "neededBytes", estimate.needed());
    set(object, "chatSlotBytes", estimate.chat_slot);
    set(object, "deviceWeightsBytes", estimate.device_weights);
    set(object, "deviceCompletionBytes", estimate.device_completion);
    set(object, "deviceChatBytes", estimate.device_chat);
    set(object, "deviceFreeBytes", estimate.device_free);
    set(object, "layerCount", static_cast<uint64_t>(estimate.layer_count));
    set(object, "checkpointBudgetBytes", estimate.checkpoint_budget);
    set(object, "swapBudgetBytes", estimate.swap_budget);
    set(object, "contextLength", static_cast<uint64_t>(estimate.context_length));
    set(object, "bytesPerToken", estimate.bytes_per_token);
    set(object, "availableBytes", available_memory(estimate.device));
    return object;
}

} // namespace inkling

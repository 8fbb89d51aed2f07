#include "engine/memory/memory_estimate.h"

#include "engine/base/error.h"
#include "engine/base/machine_memory.h"
#include "engine/llama/gguf_header.h"
#include "engine/state/memory_policy.h"

#include "llama-ext.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace inkling {

namespace {

// Compute buffers, graphs, logits and state planes of models up to some ten billion parameters.
constexpr uint64_t GENEROUS_FIXED_BYTES = 1024ull << 20;

// The byte index of a vocabulary: a string and a number for each token.
constexpr uint64_t INDEX_BYTES_PER_TOKEN = sizeof(std::string) + sizeof(token_id);
// A shorter context would refuse every prompt.
constexpr int32_t  SHORTEST_CONTEXT      = 512;
constexpr int32_t  CONTEXT_STEP          = 256;

struct simulation {
    slot_memory memory;               // recurrent state as kv
    uint64_t    growth           = 0; // by the first requests
    uint64_t    device_weights   = 0;
    uint64_t    device           = 0; // of `memory` on GPUs
    int32_t     length           = 0;
    int32_t     snapshot_limit   = 0;
    int32_t     useful_snapshots = 0;
};

void add_devices(simulation & result, llama_context * handle) {
    for (const auto & [type, bytes] : llama_get_memory_breakdown(handle)) {
        if (ggml_backend_dev_type(device_of(type)) != GGML_BACKEND_DEVICE_TYPE_CPU) {
            result.device_weights += bytes.model;
            result.device += bytes.context + bytes.compute;
        }
    }
}

#if defined(INKLING_PATCH_KEPT_GRAPHS)
// As in native/patches/16-kept-graphs.patch.
constexpr int32_t  KEPT_GRAPH_TOKENS = 8;
constexpr uint64_t KEPT_GRAPHS       = 6;

// The graphs of small batches that the trunk and the head come to keep, as if each had the most tokens.
void add_kept_graphs(simulation & result, const std::shared_ptr<const model> & header_only, context_params params,
                     const mtp_head * mtp) {
    params.batch_size = KEPT_GRAPH_TOKENS;
    params.snapshots  = result.useful_snapshots;
    const context trunk(header_only, params);
    for (const auto & [type, bytes] : llama_get_memory_breakdown(trunk.handle())) {
        result.growth += KEPT_GRAPHS * bytes.compute;
    }
    if (mtp == nullptr) {
        return;
    }
    // The head gives the logits of one row, whatever it reads.
    const uint64_t logits = static_cast<uint64_t>(header_only->facts().vocabulary_size) * sizeof(float);
    for (const auto & [type, bytes] : llama_get_memory_breakdown(mtp->handle())) {
        const uint64_t rows = bytes.compute - std::min<uint64_t>(bytes.compute, logits);
        result.growth +=
            KEPT_GRAPHS * (bytes.compute - rows + rows * KEPT_GRAPH_TOKENS / static_cast<uint64_t>(mtp->batch_size()));
    }
}
#endif

simulation simulate_slot(const std::shared_ptr<const model> & header_only, context_params params) {
    params.threads   = 1;
    params.snapshots = header_only->facts().recurrent ? 1 : 0;
    const context                   ctx(header_only, params);
    const std::unique_ptr<mtp_head> mtp = mtp_head::create(header_only, ctx);

    simulation result;
    result.memory           = measure_contexts(ctx, mtp.get());
    result.growth           = ctx.graph_bytes();
    result.length           = ctx.length();
    result.snapshot_limit   = ctx.snapshot_limit();
    result.useful_snapshots = std::min(most_snapshots(header_only->facts().weights_bytes), ctx.useful_snapshots());
    add_devices(result, ctx.handle());
    // The warm-up of a slot builds the trunk's second graph.
    result.memory.graphs += ctx.graph_bytes();
    if (mtp != nullptr) {
        result.growth += mtp->graph_bytes() + mtp->pending_bytes() * mtp_head::WINDOW;
        // Its weights are the trunk's.
        const uint64_t weights = result.device_weights;
        add_devices(result, mtp->handle());
        result.device_weights = weights;
    }
#if defined(INKLING_PATCH_KEPT_GRAPHS)
    add_kept_graphs(result, header_only, params, mtp.get());
#endif
    return result;
}

// In the units of the server's messages.
std::string readable(uint64_t bytes) {
    char text[32];
    if (bytes < 999'500'000) {
        std::snprintf(text, sizeof(text), "%.0f MB", static_cast<double>(bytes) / 1e6);
    } else {
        std::snprintf(text, sizeof(text), "%.1f GB", static_cast<double>(bytes) / 1e9);
    }
    return text;
}

// The longest context that fits into the limit, confirmed by another estimate; 0 if no useful one does.
int32_t longest_fitting_context(load_request request, memory_estimate estimate, uint64_t limit) {
    while (estimate.needed() > limit) {
        if (estimate.bytes_per_token == 0) {
            return 0;
        }
        const uint64_t tokens = (estimate.needed() - limit) / estimate.bytes_per_token + 1;
        if (tokens + SHORTEST_CONTEXT > static_cast<uint64_t>(estimate.context_length)) {
            return 0;
        }
        request.slots.context.context_length =
            (estimate.context_length - static_cast<int32_t>(tokens)) / CONTEXT_STEP * CONTEXT_STEP;
        estimate = estimate_memory(request);
    }
    return estimate.context_length;
}

} // namespace

memory_estimate estimate_memory(const load_request & request) {
    model_load_params params                       = request.model;
    params.simulate                                = true;
    params.on_progress                             = nullptr;
    const std::shared_ptr<const model> header_only = model::load(params);
    const model_facts &                facts       = header_only->facts();

    const auto simulate = [&](int32_t context_length) {
        context_params slot = request.slots.context;
        slot.context_length = context_length;
        return simulate_slot(header_only, slot);
    };
    simulation       completion = simulate(request.slots.context.context_length);
    // A second length shows what grows with the context and what, like recurrent state, does not.
    const simulation reference =
        simulate(completion.length >= 2 * SHORTEST_CONTEXT ? completion.length / 2 / CONTEXT_STEP * CONTEXT_STEP
                                                           : 2 * std::max(completion.length, SHORTEST_CONTEXT));
    const int32_t chat_length = context_length_for(facts, request.slots.chat_context_length);
    simulation    chat        = chat_length == completion.length ? completion : simulate(chat_length);

    const auto per_token = [&](uint64_t here, uint64_t there) {
        return std::max(0.0, (static_cast<double>(here) - static_cast<double>(there)) /
                                 static_cast<double>(completion.length - reference.length));
    };
    memory_estimate estimate;
    estimate.device = request.model.device;
    if (llama_model_n_devices(header_only->handle()) > 0) {
        size_t free  = 0;
        size_t total = 0;
        ggml_backend_dev_memory(llama_model_get_device(header_only->handle(), 0), &free, &total);
        estimate.device_free = free;
    }
    estimate.bytes_per_token = static_cast<uint64_t>(per_token(completion.memory.total(), reference.memory.total()));
    if (facts.recurrent) {
        const double cell = per_token(completion.memory.kv, reference.memory.kv);
        for (simulation * each : {&completion, &chat}) {
            const uint64_t planes =
                each->memory.kv - std::min(each->memory.kv, static_cast<uint64_t>(cell * each->length));
            const uint64_t plane = planes / static_cast<uint64_t>(1 + each->snapshot_limit);
            const int32_t  kept  = each->snapshot_limit > 0 && plane > 0
                                       ? affordable_snapshots(facts.weights_bytes, plane, each->useful_snapshots)
                                       : 0;
            each->memory.kv -= planes;
            each->memory.recurrent = plane * static_cast<uint64_t>(1 + kept);
            each->growth += plane;
        }
        estimate.checkpoint_budget = checkpoint_budget(request.slots.checkpoint_budget_bytes, facts.weights_bytes);
    }
    estimate.device_weights    = std::min(completion.device_weights, facts.weights_bytes);
    estimate.device_completion = completion.device;
    estimate.device_chat       = chat.device;
    estimate.layer_count       = facts.layer_count;
    estimate.parts.completion  = completion.memory;
    estimate.parts.mtp_weights = facts.mtp_bytes;
    estimate.parts.weights     = facts.weights_bytes - facts.mtp_bytes;
    estimate.parts.vocabulary =
        facts.vocabulary_bytes + static_cast<uint64_t>(facts.vocabulary_size) * INDEX_BYTES_PER_TOKEN;
    estimate.growth         = completion.growth;
    estimate.chat_slot      = chat.memory.total() + chat.growth;
    estimate.swap_budget    = swap_budget(request.slots.swap_budget_bytes, facts.weights_bytes);
    estimate.context_length = completion.length;
    return estimate;
}

uint64_t generous_estimate(const gguf_header & header, const load_request & request) {
    // Integers would overflow where a file gives absurd numbers, and the bound become a small one.
    const auto count = [](int64_t value) {
        return static_cast<double>(std::max<int64_t>(value, 0));
    };
    const auto length = [&](int32_t asked) {
        return count(asked > 0 ? asked : std::min<int64_t>(header.context_length, 8192));
    };
    const double tokens = length(request.slots.context.context_length) + length(request.slots.chat_context_length);
    const double heads  = std::max(1.0, count(header.head_count));
    const double width  = std::max(count(header.embedding_length),
                                   heads * std::max(count(header.key_length), count(header.value_length)));
    const double cache  = tokens * count(header.block_count) * 2 * width * sizeof(uint16_t);
    const double bytes =
        1.5 * static_cast<double>(header.tensor_bytes) + cache + static_cast<double>(GENEROUS_FIXED_BYTES) +
        2.0 * static_cast<double>(checkpoint_budget(request.slots.checkpoint_budget_bytes, header.tensor_bytes)) +
        static_cast<double>(swap_budget(request.slots.swap_budget_bytes, header.tensor_bytes));
    return bytes < 0x1p63 ? static_cast<uint64_t>(bytes) : UINT64_MAX;
}

slot_set_params require_memory(const load_request & request, uint64_t available) {
    const gguf_header header = read_gguf_header(request.model.path);
    // If there is plenty of memory, the estimate would only delay the load, because it reads the vocabulary again.
    if (available == 0 || generous_estimate(header, request) <= available) {
        return request.slots;
    }
    const memory_estimate estimate = estimate_memory(request);
    if (estimate.needed() > available) {
        const int32_t length = longest_fitting_context(request, estimate, available);
        throw engine_error(error_code::out_of_memory,
                           request.model.path + " with a context of " + std::to_string(estimate.context_length) +
                               " tokens needs " + readable(estimate.needed()) + "; " + readable(available) +
                               " are available" +
                               (length > 0 ? ". A context of " + std::to_string(length) + " tokens would fit"
                                           : ". No context length would fit; choose a smaller model"));
    }
    uint64_t left = available - estimate.needed();
    left -= std::min(left, estimate.chat_slot);
    // Both slots' checkpoints, and what is swapped out.
    const auto share = [&](uint64_t budget) {
        return static_cast<int64_t>(std::min(budget, left / 3));
    };
    slot_set_params slots         = request.slots;
    slots.checkpoint_budget_bytes = share(estimate.checkpoint_budget);
    slots.swap_budget_bytes       = share(estimate.swap_budget);
    return slots;
}

} // namespace inkling

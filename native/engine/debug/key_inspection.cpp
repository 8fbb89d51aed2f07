#include "engine/debug/key_inspection.h"

#include "engine/base/cpu_topology.h"
#include "engine/base/error.h"

#include "ggml-backend.h"
#include "llama.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace inkling {

namespace {

constexpr const char * CACHE_PREFIX = "cache_k_l";

// Rows of keys by layer, a token each, in the order of evaluation.
struct collector {
    std::map<int32_t, std::vector<float>> rows;
    std::map<int32_t, int64_t>            widths;
};

// A write of keys to the cache: rows of floats (src 0) go to cells (src 1) of the cache, of which the node is a view.
bool writes_keys(const ggml_tensor * node) {
    return node->op == GGML_OP_SET_ROWS && std::strncmp(node->name, CACHE_PREFIX, std::strlen(CACHE_PREFIX)) == 0 &&
           node->type == GGML_TYPE_F16 && node->src[1]->type == GGML_TYPE_I64;
}

// ggml asks which nodes are wanted, and shows those after their computation. The keys are read from the cache: a GPU
// computes their rotation and the write in one step, so they are nowhere else.
bool collect(ggml_tensor * node, bool ask, void * data) {
    if (!writes_keys(node)) {
        return !ask;
    }
    if (ask) {
        return true;
    }
    auto &               found = *static_cast<collector *>(data);
    const auto           layer = static_cast<int32_t>(std::strtol(node->name + std::strlen(CACHE_PREFIX), nullptr, 10));
    auto &               rows  = found.rows[layer];
    std::vector<int64_t> cells(static_cast<size_t>(ggml_nelements(node->src[1])));
    ggml_backend_tensor_get(node->src[1], cells.data(), 0, cells.size() * sizeof(int64_t));
    std::vector<ggml_fp16_t> halves(static_cast<size_t>(node->ne[0]));
    found.widths[layer] = node->ne[0];
    for (const int64_t cell : cells) {
        ggml_backend_tensor_get(node, halves.data(), static_cast<size_t>(cell) * node->nb[1],
                                halves.size() * sizeof(ggml_fp16_t));
        const size_t start = rows.size();
        rows.resize(start + halves.size());
        ggml_fp16_to_fp32_row(halves.data(), rows.data() + start, node->ne[0]);
    }
    return true;
}

struct context_deleter {
    void operator()(llama_context * handle) const { llama_free(handle); }
};

// What the file says, or the usual.
int32_t head_dimension(const model & loaded) {
    char              text[32] = {};
    const std::string key      = loaded.facts().architecture + ".attention.key_length";
    if (llama_model_meta_val_str(loaded.handle(), key.c_str(), text, sizeof(text)) > 0) {
        return static_cast<int32_t>(std::strtol(text, nullptr, 10));
    }
    return loaded.facts().embedding_length / std::max(1, llama_model_n_head(loaded.handle()));
}

void evaluate(llama_context * handle, const std::vector<token_id> & tokens, int32_t batch_size,
              const abort_flag & abort) {
    const auto total = static_cast<int32_t>(tokens.size());
    for (int32_t done = 0; done < total && !abort.is_set(); done += batch_size) {
        const int32_t count = std::min(batch_size, total - done);
        // The backend does not write to the tokens.
        const int32_t status =
            llama_decode(handle, llama_batch_get_one(const_cast<token_id *>(tokens.data()) + done, count));
        if (status != 0) {
            throw engine_error(error_code::decode_failed, "Evaluating " + std::to_string(count) +
                                                              " tokens to see their keys failed with status " +
                                                              std::to_string(status));
        }
    }
}

} // namespace

key_vectors inspect_keys(const std::shared_ptr<const model> & loaded, const std::vector<token_id> & tokens,
                         int32_t batch_size, const abort_flag & abort) {
    for (const token_id token : tokens) {
        if (!loaded->is_token(token)) {
            throw engine_error(error_code::invalid_argument,
                               "prompt: " + std::to_string(token) + " is not a token of this model");
        }
    }
    collector            found;
    llama_context_params params = llama_context_default_params();
    params.n_ctx                = static_cast<uint32_t>(tokens.size());
    params.n_batch              = static_cast<uint32_t>(batch_size);
    params.n_ubatch             = params.n_batch;
    params.n_seq_max            = 1;
    params.n_outputs_max        = 1;
    params.n_threads            = default_threads(loaded->facts().all_on_gpu, loaded->facts().weights_bytes);
    params.n_threads_batch      = params.n_threads;
    params.no_perf              = true;
    params.kv_unified           = true;
    params.cb_eval              = collect;
    params.cb_eval_user_data    = &found;
    const std::unique_ptr<llama_context, context_deleter> handle(llama_init_from_model(loaded->handle(), params));
    if (handle == nullptr) {
        throw engine_error(error_code::out_of_memory,
                           "A context of " + std::to_string(tokens.size()) + " tokens could not be created");
    }
    evaluate(handle.get(), tokens, batch_size, abort);
    if (abort.is_set()) {
        return {};
    }
    if (found.rows.empty()) {
        throw engine_error(error_code::unsupported_model,
                           loaded->facts().architecture + " has no attention layers, so there are no keys");
    }

    key_vectors   keys;
    const int64_t width = found.widths.begin()->second;
    const int64_t head  = head_dimension(*loaded);
    // Latent attention caches one vector for all heads.
    keys.head_dim       = static_cast<int32_t>(head > 0 && width % head == 0 ? head : width);
    keys.heads          = static_cast<int32_t>(width / keys.head_dim);
    keys.tokens         = static_cast<int32_t>(tokens.size());
    for (const auto & [layer, rows] : found.rows) {
        if (found.widths[layer] != width) {
            throw engine_error(error_code::unsupported_model,
                               "The attention layers of " + loaded->facts().architecture + " differ in their width");
        }
        keys.layers.push_back(layer);
        for (int32_t h = 0; h < keys.heads; ++h) {
            for (int32_t t = 0; t < keys.tokens; ++t) {
                const auto start = rows.begin() + t * width + static_cast<int64_t>(h) * keys.head_dim;
                keys.values.insert(keys.values.end(), start, start + keys.head_dim);
            }
        }
    }
    return keys;
}

} // namespace inkling

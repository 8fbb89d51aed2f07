#include "engine/llama/computable_graph.h"

#include "engine/base/error.h"

#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "ggml.h"
#include "llama-ext.h"
#include "llama.h"

namespace inkling {

namespace {

// The tensor of the file that a source is, or is a view of; null for others.
const ggml_tensor * weight_of(const ggml_tensor * source) {
    const ggml_tensor * base = source->view_src != nullptr ? source->view_src : source;
    return base->buffer != nullptr && ggml_backend_buffer_get_usage(base->buffer) == GGML_BACKEND_BUFFER_USAGE_WEIGHTS
               ? base
               : nullptr;
}

bool is_float(ggml_type type) {
    return type == GGML_TYPE_F32 || type == GGML_TYPE_F16 || type == GGML_TYPE_BF16;
}

// Types that only hold what others are multiplied with, such as Q8_K, have none.
bool multiplies(ggml_type type) {
    return ggml_get_type_traits_cpu(type)->vec_dot != nullptr;
}

// Whether the processor computes `node` where its source at `index` is a weight. What is not listed takes F32 only.
bool takes_weight(const ggml_tensor * node, int index) {
    const ggml_type type = node->src[index]->type;
    switch (node->op) {
        case GGML_OP_NONE:
        case GGML_OP_VIEW:
        case GGML_OP_RESHAPE:
        case GGML_OP_PERMUTE:
        case GGML_OP_TRANSPOSE: return true; // what reads it comes later
        case GGML_OP_MUL_MAT:
        case GGML_OP_MUL_MAT_ID: return index == 0 ? multiplies(type) : is_float(type);
        case GGML_OP_GET_ROWS:
        case GGML_OP_CPY:
        case GGML_OP_DUP:
        case GGML_OP_CONT: return multiplies(type) || type == GGML_TYPE_I32;
        case GGML_OP_ADD:
        case GGML_OP_SUB:
        case GGML_OP_MUL:
        case GGML_OP_DIV: return index == 0 ? is_float(type) : type == GGML_TYPE_F32;
        case GGML_OP_UNARY:
        case GGML_OP_REPEAT:
        case GGML_OP_CONCAT:
        case GGML_OP_IM2COL: return is_float(type);
        default: return type == GGML_TYPE_F32;
    }
}

bool is_computed_elsewhere(const ggml_tensor * node, const llama_model * model) {
    for (int32_t i = 0; i < llama_model_n_devices(model); ++i) {
        if (ggml_backend_dev_supports_op(llama_model_get_device(model, i), node)) {
            return true;
        }
    }
    return false;
}

} // namespace

void require_computable(ggml_cgraph * graph, const llama_model * model, const std::string & path) {
    for (int i = 0; i < ggml_graph_n_nodes(graph); ++i) {
        const ggml_tensor * node = ggml_graph_node(graph, i);
        for (int source = 0; source < GGML_MAX_SRC; ++source) {
            const ggml_tensor * weight = node->src[source] != nullptr ? weight_of(node->src[source]) : nullptr;
            if (weight != nullptr && !takes_weight(node, source) && !is_computed_elsewhere(node, model)) {
                throw engine_error(error_code::unsupported_model, path + " cannot be computed: its tensor " +
                                                                      weight->name + " has the type " +
                                                                      ggml_type_name(weight->type));
            }
        }
    }
}

} // namespace inkling

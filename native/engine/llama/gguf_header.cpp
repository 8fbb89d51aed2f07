#include "engine/llama/gguf_header.h"

#include "engine/base/error.h"

#include "gguf.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

namespace inkling {

namespace {

struct gguf_deleter {
    void operator()(gguf_context * context) const { gguf_free(context); }
};

std::string string_value(const gguf_context * context, const char * key) {
    const int64_t id = gguf_find_key(context, key);
    if (id < 0 || gguf_get_kv_type(context, id) != GGUF_TYPE_STRING) {
        return {};
    }
    return gguf_get_val_str(context, id);
}

// A number, or the greatest of an array of numbers: some hyper-parameters are given for each layer.
int64_t count_value(const gguf_context * context, const std::string & key) {
    const int64_t id = gguf_find_key(context, key.c_str());
    if (id < 0) {
        return 0;
    }
    if (gguf_get_kv_type(context, id) == GGUF_TYPE_UINT32) {
        return gguf_get_val_u32(context, id);
    }
    int64_t greatest = 0;
    if (gguf_get_kv_type(context, id) == GGUF_TYPE_ARRAY &&
        (gguf_get_arr_type(context, id) == GGUF_TYPE_UINT32 || gguf_get_arr_type(context, id) == GGUF_TYPE_INT32)) {
        const auto * values = static_cast<const int32_t *>(gguf_get_arr_data(context, id));
        for (size_t i = 0; i < gguf_get_arr_n(context, id); ++i) {
            greatest = std::max<int64_t>(greatest, values[i]);
        }
    }
    return greatest;
}

int64_t array_length(const gguf_context * context, const char * key) {
    const int64_t id = gguf_find_key(context, key);
    return id < 0 || gguf_get_kv_type(context, id) != GGUF_TYPE_ARRAY
               ? 0
               : static_cast<int64_t>(gguf_get_arr_n(context, id));
}

// The block that a tensor such as blk.12.attn_q.weight belongs to; -1 if it belongs to none.
int64_t block_of(const char * tensor_name) {
    constexpr const char * PREFIX = "blk.";
    return std::strncmp(tensor_name, PREFIX, std::strlen(PREFIX)) == 0
               ? std::strtoll(tensor_name + std::strlen(PREFIX), nullptr, 10)
               : -1;
}

} // namespace

gguf_header read_gguf_header(const std::string & path) {
    std::error_code status_error;
    const auto      status = std::filesystem::status(path, status_error);
    if (!std::filesystem::exists(status)) {
        throw engine_error(error_code::file_not_found, "There is no model file at " + path);
    }
    if (!std::filesystem::is_regular_file(status)) {
        throw engine_error(error_code::not_gguf, path + " is not a file");
    }

    gguf_header header;
    header.file_bytes = std::filesystem::file_size(path, status_error);

    char          magic[4] = {};
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        throw engine_error(error_code::load_failed, "The model file " + path + " cannot be read (permission?)");
    }
    stream.read(magic, sizeof(magic));
    if (stream.gcount() != sizeof(magic) || std::memcmp(magic, GGUF_MAGIC, sizeof(magic)) != 0) {
        throw engine_error(error_code::not_gguf, path + " is not a GGUF model: it does not start with 'GGUF'");
    }

    const gguf_init_params                            params{/*no_alloc =*/true, /*ctx =*/nullptr};
    const std::unique_ptr<gguf_context, gguf_deleter> context(gguf_init_from_file(path.c_str(), params));
    if (context == nullptr) {
        throw engine_error(error_code::truncated_file,
                           path + " is incomplete or damaged: its header cannot be read. Download it again");
    }

    header.architecture = string_value(context.get(), "general.architecture");
    header.name         = string_value(context.get(), "general.name");
    header.tensor_count = gguf_get_n_tensors(context.get());
    if (header.architecture.empty()) {
        throw engine_error(error_code::not_gguf, path + " does not name a model architecture");
    }

    const auto hyper_parameter = [&](const char * name) {
        return count_value(context.get(), header.architecture + "." + name);
    };
    header.block_count      = hyper_parameter("block_count");
    header.embedding_length = hyper_parameter("embedding_length");
    header.context_length   = hyper_parameter("context_length");
    header.head_count       = hyper_parameter("attention.head_count");
    header.key_length       = hyper_parameter("attention.key_length");
    header.value_length     = hyper_parameter("attention.value_length");
    header.token_count      = array_length(context.get(), "tokenizer.ggml.tokens");
    header.merge_count      = array_length(context.get(), "tokenizer.ggml.merges");

    // block_count includes the MTP blocks, which come last.
    const int64_t mtp_blocks  = hyper_parameter("nextn_predict_layers");
    const int64_t trunk_count = header.block_count - mtp_blocks;

    uint64_t end = gguf_get_data_offset(context.get());
    for (int64_t i = 0; i < header.tensor_count; ++i) {
        const uint64_t size = gguf_get_tensor_size(context.get(), i);
        header.tensor_bytes += size;
        if (mtp_blocks > 0 && block_of(gguf_get_tensor_name(context.get(), i)) >= trunk_count) {
            header.mtp_bytes += size;
        }
        end = std::max<uint64_t>(end,
                                 gguf_get_data_offset(context.get()) + gguf_get_tensor_offset(context.get(), i) + size);
    }
    if (end > header.file_bytes) {
        throw engine_error(error_code::truncated_file, path + " is incomplete: it has " +
                                                           std::to_string(header.file_bytes) + " of " +
                                                           std::to_string(end) + " bytes. Download it again");
    }
    return header;
}

} // namespace inkling

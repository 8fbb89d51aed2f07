#include "engine/llama/gguf_header.h"

#include "engine/base/error.h"
#include "engine/llama/header_size.h"
#include "engine/llama/sound_vocabulary.h"

#include "gguf.h"
#include "llama.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string_view>

namespace inkling {

namespace {

// The names of parts have five digits: model-00001-of-00002.gguf.
constexpr int64_t MAX_PARTS            = 99'999;
// Tensors or keys of one file, several times those of any model. llama.cpp compares the name of each with all before
// it.
constexpr int64_t MAX_NAMES            = 1 << 14;
// In bytes, as in server/src/models/gguf/gguf-header.ts. It stands in names of keys and in messages.
constexpr size_t  LONGEST_ARCHITECTURE = 64;

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

bool bool_value(const gguf_context * context, const char * key, bool fallback) {
    const int64_t id = gguf_find_key(context, key);
    return id < 0 || gguf_get_kv_type(context, id) != GGUF_TYPE_BOOL ? fallback : gguf_get_val_bool(context, id);
}

// An array of whole numbers; empty where there is none, or one of another type.
std::span<const int32_t> whole_numbers(const gguf_context * context, const std::string & key) {
    const int64_t id = gguf_find_key(context, key.c_str());
    if (id < 0 || gguf_get_kv_type(context, id) != GGUF_TYPE_ARRAY ||
        (gguf_get_arr_type(context, id) != GGUF_TYPE_UINT32 && gguf_get_arr_type(context, id) != GGUF_TYPE_INT32)) {
        return {};
    }
    return {static_cast<const int32_t *>(gguf_get_arr_data(context, id)), gguf_get_arr_n(context, id)};
}

// A number, or the greatest of an array of numbers: some hyper-parameters are given for each layer.
int64_t count_value(const gguf_context * context, const std::string & key) {
    const int64_t id = gguf_find_key(context, key.c_str());
    if (id < 0) {
        return 0;
    }
    if (gguf_get_kv_type(context, id) == GGUF_TYPE_UINT16) {
        return gguf_get_val_u16(context, id);
    }
    if (gguf_get_kv_type(context, id) == GGUF_TYPE_UINT32) {
        return gguf_get_val_u32(context, id);
    }
    const std::span<const int32_t> values = whole_numbers(context, key);
    return values.empty() ? 0 : std::max(0, *std::max_element(values.begin(), values.end()));
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

// Windows takes a narrow path for one in its own code page.
std::filesystem::path native_path(const std::string & path) {
    return std::filesystem::path(std::u8string(path.begin(), path.end()));
}

using gguf_handle = std::unique_ptr<gguf_context, gguf_deleter>;

// What every file begins with.
struct beginning {
    char     magic[4]     = {};
    uint32_t version      = 0;
    int64_t  tensor_count = 0;
    int64_t  key_count    = 0;
};
static_assert(sizeof(beginning) == 24);

// Throws where a count is more than MAX_NAMES.
void require_few(int64_t count, const char * what, const std::string & path) {
    if (count > MAX_NAMES) {
        throw engine_error(error_code::truncated_file, path + " is incomplete or damaged: its header counts " +
                                                           std::to_string(count) + " " + what + ", more than " +
                                                           std::to_string(MAX_NAMES) + ". Download it again");
    }
}

// Opens one file and adds its size to the header's.
gguf_handle open_part(const std::string & path, gguf_header & header) {
    std::error_code status_error;
    const auto      status = std::filesystem::status(native_path(path), status_error);
    if (!std::filesystem::exists(status)) {
        throw engine_error(error_code::file_not_found, "There is no model file at " + path);
    }
    if (!std::filesystem::is_regular_file(status)) {
        throw engine_error(error_code::not_gguf, path + " is not a file");
    }
    header.paths.push_back(path);
    header.file_bytes += std::filesystem::file_size(native_path(path), status_error);

    beginning     begin;
    std::ifstream stream(native_path(path), std::ios::binary);
    if (!stream) {
        throw engine_error(error_code::load_failed, "The model file " + path + " cannot be read (permission?)");
    }
    stream.read(reinterpret_cast<char *>(&begin), sizeof(begin));
    if (std::memcmp(begin.magic, GGUF_MAGIC, sizeof(begin.magic)) != 0) {
        throw engine_error(error_code::not_gguf, path + " is not a GGUF model: it does not start with 'GGUF'");
    }

    require_few(begin.tensor_count, "tensors", path);
    require_few(begin.key_count, "keys", path);
    require_small_header(stream, begin.key_count, path);

    const gguf_init_params params{/*no_alloc =*/true, /*ctx =*/nullptr};
    gguf_handle            context(gguf_init_from_file(path.c_str(), params));
    if (context == nullptr) {
        throw engine_error(error_code::truncated_file,
                           path + " is incomplete or damaged: its header cannot be read. Download it again");
    }
    return context;
}

// Adds the tensors of one file to the header's, and checks that they lie within it.
void add_tensors(const gguf_context * context, const std::string & path, int64_t first_mtp_block,
                 gguf_header & header) {
    const int64_t  count = gguf_get_n_tensors(context);
    const uint64_t data  = gguf_get_data_offset(context);
    uint64_t       end   = data;
    header.tensor_count += count;
    for (int64_t i = 0; i < count; ++i) {
        const uint64_t size = gguf_get_tensor_size(context, i);
        header.tensor_bytes += size;
        if (block_of(gguf_get_tensor_name(context, i)) >= first_mtp_block) {
            header.mtp_bytes += size;
        }
        end = std::max<uint64_t>(end, data + gguf_get_tensor_offset(context, i) + size);
    }
    std::error_code ignored;
    const uint64_t  bytes = std::filesystem::file_size(native_path(path), ignored);
    if (count > 0 && end > bytes) {
        throw engine_error(error_code::truncated_file, path + " is incomplete: it has " + std::to_string(bytes) +
                                                           " of " + std::to_string(end) + " bytes. Download it again");
    }
}

// The number of files of a split model, as its first file says; 1 if it is whole.
int32_t part_count(const gguf_context * first, const std::string & path) {
    const int64_t count = count_value(first, "split.count");
    if (count > MAX_PARTS) {
        throw engine_error(error_code::truncated_file, path + " is incomplete or damaged: its header counts " +
                                                           std::to_string(count) + " files, more than " +
                                                           std::to_string(MAX_PARTS) + ". Download it again");
    }
    return static_cast<int32_t>(std::max<int64_t>(1, count));
}

// Adds the other files of a split model to the header. Each is opened before the next one is named: a damaged header
// may count many files that do not exist.
void add_other_parts(const gguf_context * first, const std::string & path, int64_t first_mtp_block,
                     gguf_header & header) {
    const int32_t     count = part_count(first, path);
    std::vector<char> name(path.size() + 64);
    if (count < 2 || llama_split_prefix(name.data(), name.size(), path.c_str(), 0, count) <= 0) {
        return;
    }
    const std::string prefix = name.data();
    for (int32_t i = 1; i < count; ++i) {
        llama_split_path(name.data(), name.size(), prefix.c_str(), i, count);
        const std::string part = name.data();
        add_tensors(open_part(part, header).get(), part, first_mtp_block, header);
    }
}

bool is_stated_zero(const gguf_context * context, const std::string & key) {
    return gguf_find_key(context, key.c_str()) >= 0 && count_value(context, key) == 0;
}

// Whether the file states, as attention.layer_norm_rms_epsilon does, what a norm adds, and that is below zero or no
// number.
bool has_unsound_epsilon(const gguf_context * context) {
    for (int64_t id = 0; id < gguf_get_n_kv(context); ++id) {
        if (gguf_get_kv_type(context, id) == GGUF_TYPE_FLOAT32 &&
            std::string_view(gguf_get_key(context, id)).ends_with("epsilon") && !(gguf_get_val_f32(context, id) >= 0)) {
            return true;
        }
    }
    return false;
}

// Refuses numbers that llama.cpp takes as they are, and that end the process later: in a computation nothing can be
// thrown (assertion_guard.h), and the interval divides.
void require_sound_numbers(const gguf_context * context, const gguf_header & header, const std::string & path) {
    const int64_t rotated = count_value(context, header.architecture + ".rope.dimension_count");
    if (rotated % 2 != 0 || (header.key_length > 0 && rotated > header.key_length) ||
        is_stated_zero(context, header.architecture + ".full_attention_interval") || has_unsound_epsilon(context)) {
        throw impossible_numbers(path);
    }
}

} // namespace

engine_error impossible_numbers(const std::string & path) {
    return engine_error(error_code::truncated_file,
                        path + " is incomplete or damaged: its header has impossible numbers. Download it again");
}

gguf_header read_gguf_header(const std::string & path) {
    gguf_header       header;
    const gguf_handle context = open_part(path, header);

    header.architecture = string_value(context.get(), "general.architecture");
    header.name         = string_value(context.get(), "general.name");
    if (header.architecture.empty() || header.architecture.size() > LONGEST_ARCHITECTURE) {
        throw engine_error(error_code::not_gguf, path + " does not name a model architecture");
    }

    const auto hyper_parameter = [&](const char * name) {
        return count_value(context.get(), header.architecture + "." + name);
    };
    header.block_count          = hyper_parameter("block_count");
    header.embedding_length     = hyper_parameter("embedding_length");
    header.context_length       = hyper_parameter("context_length");
    header.head_count           = hyper_parameter("attention.head_count");
    header.key_length           = hyper_parameter("attention.key_length");
    header.value_length         = hyper_parameter("attention.value_length");
    header.pooling_type         = hyper_parameter("pooling_type");
    header.token_count          = array_length(context.get(), "tokenizer.ggml.tokens");
    header.merge_count          = array_length(context.get(), "tokenizer.ggml.merges");
    header.lacks_blanks         = string_value(context.get(), "tokenizer.ggml.pre") == "whitespace";
    // llama.cpp calls SentencePiece "llama".
    const std::string tokenizer = string_value(context.get(), "tokenizer.ggml.model");
    header.leading_blank = tokenizer == "llama" && bool_value(context.get(), "tokenizer.ggml.add_space_prefix", true);

    header.rotates_nothing = is_stated_zero(context.get(), header.architecture + ".rope.dimension_count");
    const auto sections    = whole_numbers(context.get(), header.architecture + ".rope.dimension_sections");
    std::copy_n(sections.begin(), std::min(sections.size(), header.rotated_sections.size()),
                header.rotated_sections.begin());

    require_sound_numbers(context.get(), header, path);
    require_sound_vocabulary(context.get(), tokenizer, header.name, path);

    // block_count includes the MTP blocks, which come last.
    const int64_t mtp_blocks      = hyper_parameter("nextn_predict_layers");
    const int64_t first_mtp_block = mtp_blocks > 0 ? header.block_count - mtp_blocks : INT64_MAX;
    add_tensors(context.get(), path, first_mtp_block, header);
    add_other_parts(context.get(), path, first_mtp_block, header);
    return header;
}

} // namespace inkling

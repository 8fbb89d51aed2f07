#include "engine/llama/model.h"

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/process_memory.h"
#include "engine/llama/assertion_guard.h"
#include "engine/llama/gguf_header.h"
#include "engine/llama/long_text.h"

#include "ggml-cpp.h"
#include "llama-ext.h"
#include "llama.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <mutex>
#include <numeric>
#include <type_traits>

namespace inkling {

static_assert(std::is_same_v<token_id, llama_token>);
static_assert(std::is_same_v<token_position, llama_pos>);
static_assert(no_token == LLAMA_TOKEN_NULL);

namespace {

// What libstdc++ allocates for a token (its data, its piece, the map from text to token) and for a merge (the map from
// a pair of texts to its rank), short texts within the string.
constexpr uint64_t BYTES_PER_TOKEN = 144;
constexpr uint64_t BYTES_PER_MERGE = 104;

// Of llama.cpp's reasons, which quote what the file says.
constexpr size_t LONGEST_REASON = 500;

std::string metadata(const llama_model * handle, const char * key) {
    char          buffer[256] = {};
    const int32_t length      = llama_model_meta_val_str(handle, key, buffer, sizeof(buffer));
    return length < 0 ? std::string() : std::string(buffer);
}

// The override of the vocabulary's blank before each text, which would make every part of a prompt one blank longer.
llama_model_kv_override no_leading_blank() {
    llama_model_kv_override override = {};
    std::snprintf(override.key, sizeof(override.key), "tokenizer.ggml.add_space_prefix");
    override.tag      = LLAMA_KV_OVERRIDE_TYPE_BOOL;
    override.val_bool = false;
    return override;
}

// Models that make a vector or a score of a text. Their files look like those of text models.
void require_text_model(const gguf_header & header, const std::string & path) {
    // Vocabularies and old files of the encoders say nothing of pooling.
    if (header.pooling_type > 0 || header.lacks_blanks || header.architecture.find("bert") != std::string::npos) {
        throw engine_error(error_code::unsupported_model,
                           path + " cannot complete code: it is " +
                               (header.pooling_type == POOLING_RANK ? "a reranker, which scores texts"
                                                                    : "an embedding model, which compares texts") +
                               ". Choose a code model");
    }
}

// llama.cpp answers a failed load with null and says why in its log only.
engine_error load_error(const gguf_header & header, const std::string & path, const std::string & log) {
    if (log.find("unknown model architecture") != std::string::npos) {
        return engine_error(error_code::unsupported_model, path + " has the architecture '" + header.architecture +
                                                               "', which Inkling does not support");
    }
    if (log.find("failed to allocate") != std::string::npos || log.find("unable to allocate") != std::string::npos) {
        return engine_error(error_code::out_of_memory, "Not enough memory to load " + path + ", which holds " +
                                                           std::to_string(header.tensor_bytes) + " bytes of weights");
    }
    // What llama.cpp asserts.
    if (log.find("id_to_token.size() == token_to_id.size()") != std::string::npos) {
        return engine_error(error_code::load_failed, "Loading " + path + " failed: its vocabulary has a token twice");
    }
    const std::string reason = log.substr(0, std::min(log.find('\n'), LONGEST_REASON));
    return engine_error(error_code::load_failed,
                        "Loading " + path + " failed: " + (reason.empty() ? "no reason was given" : reason));
}

// Refuses what a model that rotates by position cannot say of it: ggml then loops for ever, divides by zero, or asserts
// in a computation (assertion_guard.h).
void require_sound_rotation(const gguf_header & header, const llama_model * handle, const std::string & path) {
    const llama_rope_type type = llama_model_rope_type(handle);
    if (type == LLAMA_ROPE_TYPE_NONE) {
        return;
    }
    const auto &  sections = header.rotated_sections;
    const int64_t pairs    = std::accumulate(sections.begin(), sections.end(), int64_t{0});
    const int64_t width =
        header.key_length > 0 ? header.key_length : header.embedding_length / std::max<int64_t>(1, header.head_count);
    const bool sound = pairs > sections[3] && pairs <= width &&
                       std::all_of(sections.begin(), sections.end(), [](int32_t each) { return each >= 0; });
    const bool of_sections = type == LLAMA_ROPE_TYPE_MROPE || type == LLAMA_ROPE_TYPE_IMROPE;
    if (header.rotates_nothing || (of_sections && !sound)) {
        throw impossible_numbers(path);
    }
}

// Refuses a vocabulary that cannot write code, such as one of SentencePiece without the tokens of single bytes.
// llama.cpp looks for them where a text needs one.
void require_code_tokens(const model & loaded) {
    std::string code = "\t\n";
    for (char character = ' '; character <= '~'; ++character) {
        code += character;
    }
    std::vector<token_id> tokens;
    try {
        tokens = loaded.tokenize(code, /*parse_special =*/false);
    } catch (const std::exception &) {
        tokens.clear();
    }
    if (tokens.empty() ||
        !std::all_of(tokens.begin(), tokens.end(), [&](token_id each) { return loaded.is_token(each); })) {
        throw engine_error(error_code::unsupported_model,
                           loaded.facts().path + " cannot complete code: its vocabulary has no tokens for it");
    }
}

// ggml's Vulkan backend makes its device at the first use, and another thread that comes meanwhile takes half of one.
// Two engines load at the same time where chats have a model of their own.
ggml_backend_dev_t start_device(const std::string & name) {
    static std::mutex                 mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    ggml_backend_dev_t                device = ggml_backend_dev_by_name(name.c_str());
    if (device == nullptr) {
        throw engine_error(error_code::device_failed, "There is no device " + name);
    }
    try {
        if (const ggml_backend_ptr backend{ggml_backend_dev_init(device, nullptr)}) {
            return device;
        }
    } catch (const std::exception & error) {
        throw engine_error(error_code::device_failed, name + " does not start: " + error.what());
    }
    throw engine_error(error_code::device_failed, name + " does not start");
}

} // namespace

void model::deleter::operator()(llama_model * handle) const {
    llama_model_free(handle);
}

model::model(std::unique_ptr<llama_model, deleter> handle)
    : handle_(std::move(handle)), vocab_(llama_model_get_vocab(handle_.get())) {
    llama_model * m                = handle_.get();
    facts_.name                    = metadata(m, "general.name");
    facts_.architecture            = metadata(m, "general.architecture");
    facts_.quantization            = llama_ftype_name(llama_model_ftype(m));
    facts_.weights_bytes           = llama_model_size(m);
    facts_.parameter_count         = llama_model_n_params(m);
    facts_.layer_count             = llama_model_n_layer(m);
    facts_.mtp_layer_count         = llama_model_n_layer_nextn(m);
    facts_.embedding_length        = llama_model_n_embd(m);
    facts_.vocabulary_size         = llama_vocab_n_tokens(vocab_);
    // A file may state none, or more than this type holds: then it limits nothing.
    const int32_t trained          = llama_model_n_ctx_train(m);
    facts_.training_context_length = trained > 0 ? trained : std::numeric_limits<int32_t>::max();
    facts_.recurrent               = llama_model_is_recurrent(m) || llama_model_is_hybrid(m);
    file_markers_                  = find_file_markers(vocab_);
    facts_.bos_token               = llama_vocab_bos(vocab_);
    facts_.add_bos                 = llama_vocab_get_add_bos(vocab_);
    if (const char * chat_template = llama_model_chat_template(m, nullptr)) {
        facts_.chat_template = chat_template;
    }
}

std::shared_ptr<model> model::load(const model_load_params & params) {
    const gguf_header header = read_gguf_header(params.path);
    require_text_model(header, params.path);

    struct progress_state {
        const std::function<bool(float)> * report;
        bool                               cancelled;
    } progress{&params.on_progress, false};

    llama_model_params llama_params = llama_model_default_params();
    llama_params.n_gpu_layers       = params.gpu_layers;
    // An empty list: a GPU that has failed is not even asked.
    ggml_backend_dev_t devices[]    = {nullptr, nullptr};
    if (params.gpu_layers != 0 && !params.device.empty()) {
        devices[0] = start_device(params.device);
    }
    if (params.gpu_layers == 0 || devices[0] != nullptr) {
        llama_params.devices = devices;
    }
    llama_params.load_mtp   = params.mtp;
    llama_params.no_alloc   = params.simulate;
    llama_params.vocab_only = params.vocabulary_only;
    if (params.simulate) {
        llama_params.load_mode = LLAMA_LOAD_MODE_NONE;
    }
    // The list ends with an empty key.
    const llama_model_kv_override overrides[] = {no_leading_blank(), {}};
    if (header.leading_blank) {
        llama_params.kv_overrides = overrides;
    }
    llama_params.progress_callback_user_data = &progress;
    llama_params.progress_callback           = [](float fraction, void * data) {
        auto & state = *static_cast<progress_state *>(data);
        if (*state.report && !(*state.report)(fraction)) {
            state.cancelled = true;
        }
        return !state.cancelled;
    };

    const error_log_capture               capture;
    const assertion_guard                 guard;
    std::unique_ptr<llama_model, deleter> handle(llama_model_load_from_file(params.path.c_str(), llama_params));
    if (progress.cancelled) {
        throw engine_error(error_code::load_cancelled, "Loading " + params.path + " was cancelled");
    }
    if (handle == nullptr) {
        throw load_error(header, params.path, capture.text());
    }
    require_sound_rotation(header, handle.get(), params.path);
    if (!llama_model_has_decoder(handle.get()) || llama_model_has_encoder(handle.get()) ||
        llama_model_is_diffusion(handle.get())) {
        throw engine_error(error_code::unsupported_model, params.path + " (" + header.architecture +
                                                              ") cannot complete code: it is not a text decoder");
    }

    // llama.cpp ends the process if such a vocabulary is asked for a token.
    if (llama_vocab_type(llama_model_get_vocab(handle.get())) == LLAMA_VOCAB_TYPE_NONE) {
        throw engine_error(error_code::unsupported_model,
                           params.path + " (" + header.architecture + ") has no vocabulary, so it cannot read text");
    }

    std::shared_ptr<model> result(new model(std::move(handle)));
    result->facts_.path          = params.path;
    result->facts_.file_bytes    = header.file_bytes;
    result->facts_.leading_blank = header.leading_blank;
    require_code_tokens(*result);
    result->facts_.fim =
        find_fim_tokens(result->vocab_, {result->facts_.name, params.path.substr(params.path.find_last_of("/\\") + 1)});
    result->facts_.all_on_gpu = params.gpu_layers < 0 && llama_model_n_devices(result->handle()) > 0;
    result->facts_.mtp_loaded = params.mtp && result->facts_.mtp_layer_count > 0;
    result->facts_.mtp_bytes  = result->facts_.mtp_loaded ? header.mtp_bytes : 0;
    // llama.cpp counts the tensors of the file, loaded or not.
    result->facts_.weights_bytes -= header.mtp_bytes - result->facts_.mtp_bytes;
    result->facts_.vocabulary_bytes = static_cast<uint64_t>(header.token_count) * BYTES_PER_TOKEN +
                                      static_cast<uint64_t>(header.merge_count) * BYTES_PER_MERGE;
    // A simulated load maps nothing.
    if (!params.simulate) {
        std::for_each(header.paths.begin(), header.paths.end(), release_mapped_pages);
    }
    if (params.require_fim && !result->facts_.fim) {
        throw engine_error(error_code::no_fim_tokens, params.path +
                                                          " cannot complete code: it has no fill-in-the-middle tokens. "
                                                          "Choose a code model");
    }
    return result;
}

std::vector<token_id> model::tokenize(std::string_view text, bool parse_special) const {
    std::vector<token_id> tokens;
    size_t                start = 0;
    for (const size_t end : piece_ends(text)) {
        tokenize_piece(text.substr(start, end - start), parse_special, tokens);
        start = end;
    }
    return tokens;
}

void model::tokenize_piece(std::string_view text, bool parse_special, std::vector<token_id> & tokens) const {
    const size_t before   = tokens.size();
    const auto   tokenize = [&](size_t room) {
        tokens.resize(before + room);
        return llama_tokenize(vocab_, text.data(), static_cast<int32_t>(text.size()), tokens.data() + before,
                                static_cast<int32_t>(room), /*add_special =*/false, parse_special);
    };
    // Byte-level and byte-fallback vocabularies never give more tokens than bytes; a normalizer may add a few.
    int32_t count = tokenize(text.size() + 8);
    if (count < 0) {
        count = tokenize(static_cast<size_t>(-count));
    }
    tokens.resize(before + static_cast<size_t>(count < 0 ? 0 : count));
}

std::string model::piece(token_id token, bool special) const {
    char    buffer[64];
    int32_t length = llama_token_to_piece(vocab_, token, buffer, sizeof(buffer), 0, special);
    if (length >= 0) {
        return std::string(buffer, static_cast<size_t>(length));
    }
    std::string text(static_cast<size_t>(-length), '\0');
    length = llama_token_to_piece(vocab_, token, text.data(), static_cast<int32_t>(text.size()), 0, special);
    text.resize(static_cast<size_t>(length < 0 ? 0 : length));
    return text;
}

std::string model::detokenize(const std::vector<token_id> & tokens, bool special) const {
    std::string text;
    for (const token_id token : tokens) {
        text += piece(token, special);
    }
    return text;
}

bool model::is_special(token_id token) const {
    return (llama_vocab_get_attr(vocab_, token) & (LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN)) != 0 ||
           is_end(token);
}

bool model::ends_file(token_id token) const {
    return is_special(token) || std::binary_search(file_markers_.begin(), file_markers_.end(), token);
}

bool model::is_end(token_id token) const {
    return llama_vocab_is_eog(vocab_, token);
}

} // namespace inkling

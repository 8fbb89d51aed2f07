#include "engine/llama/model.h"

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/process_memory.h"
#include "engine/llama/gguf_header.h"

#include "llama-ext.h"
#include "llama.h"

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

std::string metadata(const llama_model * handle, const char * key) {
    char          buffer[256] = {};
    const int32_t length      = llama_model_meta_val_str(handle, key, buffer, sizeof(buffer));
    return length < 0 ? std::string() : std::string(buffer);
}

std::optional<fim_tokens> read_fim_tokens(const llama_vocab * vocab) {
    fim_tokens fim;
    fim.prefix   = llama_vocab_fim_pre(vocab);
    fim.suffix   = llama_vocab_fim_suf(vocab);
    fim.middle   = llama_vocab_fim_mid(vocab);
    fim.pad      = llama_vocab_fim_pad(vocab);
    fim.repo     = llama_vocab_fim_rep(vocab);
    fim.file_sep = llama_vocab_fim_sep(vocab);
    if (fim.prefix == no_token || fim.suffix == no_token || fim.middle == no_token) {
        return std::nullopt;
    }
    return fim;
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
    std::string reason = log.substr(0, log.find('\n'));
    return engine_error(error_code::load_failed,
                        "Loading " + path + " failed: " + (reason.empty() ? "no reason was given" : reason));
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
    facts_.training_context_length = llama_model_n_ctx_train(m);
    facts_.recurrent               = llama_model_is_recurrent(m) || llama_model_is_hybrid(m);
    facts_.fim                     = read_fim_tokens(vocab_);
    facts_.bos_token               = llama_vocab_bos(vocab_);
    facts_.add_bos                 = llama_vocab_get_add_bos(vocab_);
    if (const char * chat_template = llama_model_chat_template(m, nullptr)) {
        facts_.chat_template = chat_template;
    }
}

std::shared_ptr<model> model::load(const model_load_params & params) {
    const gguf_header header = read_gguf_header(params.path);

    struct progress_state {
        const std::function<bool(float)> * report;
        bool                               cancelled;
    } progress{&params.on_progress, false};

    llama_model_params llama_params = llama_model_default_params();
    llama_params.n_gpu_layers       = params.gpu_layers;
    llama_params.load_mtp           = params.mtp;
    llama_params.no_alloc           = params.simulate;
    if (params.simulate) {
        llama_params.load_mode = LLAMA_LOAD_MODE_NONE;
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
    std::unique_ptr<llama_model, deleter> handle(llama_model_load_from_file(params.path.c_str(), llama_params));
    if (progress.cancelled) {
        throw engine_error(error_code::load_cancelled, "Loading " + params.path + " was cancelled");
    }
    if (handle == nullptr) {
        throw load_error(header, params.path, capture.text());
    }
    if (!llama_model_has_decoder(handle.get()) || llama_model_has_encoder(handle.get()) ||
        llama_model_is_diffusion(handle.get())) {
        throw engine_error(error_code::unsupported_model, params.path + " (" + header.architecture +
                                                              ") cannot complete code: it is not a text decoder");
    }

    std::shared_ptr<model> result(new model(std::move(handle)));
    result->facts_.path       = params.path;
    result->facts_.file_bytes = header.file_bytes;
    result->facts_.all_on_gpu = params.gpu_layers < 0 && llama_model_n_devices(result->handle()) > 0;
    result->facts_.mtp_loaded = params.mtp && result->facts_.mtp_layer_count > 0;
    result->facts_.mtp_bytes  = result->facts_.mtp_loaded ? header.mtp_bytes : 0;
    // llama.cpp counts the tensors of the file, loaded or not.
    result->facts_.weights_bytes -= header.mtp_bytes - result->facts_.mtp_bytes;
    result->facts_.vocabulary_bytes = static_cast<uint64_t>(header.token_count) * BYTES_PER_TOKEN +
                                      static_cast<uint64_t>(header.merge_count) * BYTES_PER_MERGE;
    // A simulated load maps nothing.
    if (!params.simulate) {
        release_mapped_pages(params.path);
    }
    if (params.require_fim && !result->facts_.fim) {
        throw engine_error(error_code::no_fim_tokens, params.path +
                                                          " cannot complete code: it has no fill-in-the-middle tokens. "
                                                          "Choose a code model");
    }
    return result;
}

std::vector<token_id> model::tokenize(std::string_view text, bool parse_special) const {
    // Byte-level and byte-fallback vocabularies never give more tokens than bytes; a leading space adds a few.
    std::vector<token_id> tokens(text.size() + 8);
    int32_t               count = llama_tokenize(vocab_, text.data(), static_cast<int32_t>(text.size()), tokens.data(),
                                                 static_cast<int32_t>(tokens.size()), /*add_special =*/false, parse_special);
    if (count < 0) {
        tokens.resize(static_cast<size_t>(-count));
        count = llama_tokenize(vocab_, text.data(), static_cast<int32_t>(text.size()), tokens.data(),
                               static_cast<int32_t>(tokens.size()), false, parse_special);
    }
    tokens.resize(static_cast<size_t>(count < 0 ? 0 : count));
    return tokens;
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

bool model::is_end(token_id token) const {
    return llama_vocab_is_eog(vocab_, token);
}

} // namespace inkling

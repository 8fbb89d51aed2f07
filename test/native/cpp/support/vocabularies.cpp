#include "vocabularies.h"

#include "gguf.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace inkling_test {

namespace {

const std::string PREFIX = "ggml-vocab-";

struct gguf_deleter {
    void operator()(gguf_context * handle) const { gguf_free(handle); }
};

// Writes the changed file. Tensors have none of these files.
void write_changed(const std::filesystem::path & base, const vocabulary_changes & changes,
                   const std::filesystem::path & to) {
    const std::unique_ptr<gguf_context, gguf_deleter> file(
        gguf_init_from_file(base.string().c_str(), {/*.no_alloc =*/true, /*.ctx =*/nullptr}));
    if (file == nullptr) {
        throw std::runtime_error("The vocabulary cannot be read from " + base.string());
    }
    if (!changes.pre.empty()) {
        gguf_set_val_str(file.get(), "tokenizer.ggml.pre", changes.pre.c_str());
    }
    if (!changes.name.empty()) {
        gguf_set_val_str(file.get(), "general.name", changes.name.c_str());
    }
    for (const auto & [key, value] : changes.numbers) {
        gguf_set_val_u32(file.get(), key.c_str(), value);
    }
    if (!changes.specials.empty()) {
        const int64_t            id    = gguf_find_key(file.get(), "tokenizer.ggml.tokens");
        const size_t             count = gguf_get_arr_n(file.get(), id);
        const size_t             first = count - changes.specials.size();
        std::vector<std::string> tokens;
        for (size_t token = 0; token < count; ++token) {
            tokens.push_back(token < first ? gguf_get_arr_str(file.get(), id, token) : changes.specials[token - first]);
        }
        std::vector<const char *> texts(tokens.size());
        std::transform(tokens.begin(), tokens.end(), texts.begin(),
                       [](const std::string & text) { return text.c_str(); });
        gguf_set_arr_str(file.get(), "tokenizer.ggml.tokens", texts.data(), texts.size());

        const int64_t        types_id = gguf_find_key(file.get(), "tokenizer.ggml.token_type");
        const auto *         types    = static_cast<const int32_t *>(gguf_get_arr_data(file.get(), types_id));
        std::vector<int32_t> changed(types, types + count);
        std::fill(changed.begin() + static_cast<std::ptrdiff_t>(first), changed.end(), changes.control ? 3 : 1);
        gguf_set_arr_data(file.get(), "tokenizer.ggml.token_type", GGUF_TYPE_INT32, changed.data(), changed.size());
    }
    if (!gguf_write_to_file(file.get(), to.string().c_str(), /*only_meta =*/false)) {
        throw std::runtime_error("The vocabulary cannot be written to " + to.string());
    }
}

} // namespace

std::vector<std::string> vocabulary_names() {
    std::vector<std::string> names;
    std::error_code          missing;
    for (const auto & entry : std::filesystem::directory_iterator(INKLING_LLAMA_MODELS, missing)) {
        const std::string file = entry.path().filename().string();
        if (file.starts_with(PREFIX) && file.ends_with(".gguf")) {
            names.push_back(entry.path().stem().string().substr(PREFIX.size()));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::filesystem::path vocabulary_file(const std::string & name, const std::string & extension) {
    return std::filesystem::path(INKLING_LLAMA_MODELS) / (PREFIX + name + ".gguf" + extension);
}

std::shared_ptr<const inkling::model> vocabulary(const std::filesystem::path & file) {
    inkling::model_load_params params;
    params.path            = file.string();
    params.require_fim     = false;
    params.vocabulary_only = true;
    return inkling::model::load(params);
}

bool is_encoder(const std::string & name) {
    return name.find("bert") != std::string::npos;
}

void for_each_vocabulary(const std::function<void(const std::string &, const inkling::model &)> & body) {
    int count = 0;
    for (const std::string & name : vocabulary_names()) {
        if (!is_encoder(name)) {
            body(name, *vocabulary(vocabulary_file(name)));
            ++count;
        }
    }
    if (count == 0) {
        std::cout << "     skipped: this source of llama.cpp has no vocabulary files\n";
    }
}

std::string spelled(const std::vector<inkling::token_id> & tokens) {
    std::string text;
    for (const inkling::token_id token : tokens) {
        text += (text.empty() ? "" : " ") + std::to_string(token);
    }
    return text;
}

std::vector<std::string> pre_tokenizers() {
    std::ifstream     stream(std::filesystem::path(INKLING_LLAMA_MODELS).parent_path() / "src" / "llama-vocab.cpp");
    std::stringstream source;
    source << stream.rdbuf();
    const std::string     text = source.str();
    const std::regex      named("tokenizer_pre == \"([^\"]+)\"");
    std::set<std::string> names;
    for (std::sregex_iterator match(text.begin(), text.end(), named), end; match != end; ++match) {
        names.insert((*match)[1]);
    }
    return {names.begin(), names.end()};
}

std::shared_ptr<const inkling::model> made_vocabulary(const std::string & base, const vocabulary_changes & changes) {
    const auto to = std::filesystem::temp_directory_path() /
                    ("inkling-vocabulary-" + std::to_string(std::random_device()()) + ".gguf");
    write_changed(vocabulary_file(base), changes, to);
    std::shared_ptr<const inkling::model> loaded;
    try {
        loaded = vocabulary(to);
    } catch (...) {
        std::filesystem::remove(to);
        throw;
    }
    std::filesystem::remove(to);
    return loaded;
}

} // namespace inkling_test

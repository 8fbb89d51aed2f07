// make_sized_model TOKENIZER_FROM OUTPUT 0.8B|4B|9B Q4_K_M|Q8_0
//
// Writes a model of the dimensions and quantizations of Qwen3.5 in this size, with random weights. It is as fast and as
// large as the real one, and says nothing. Its vocabulary begins with that of TOKENIZER_FROM; the rest of Qwen's
// 248,320 tokens are never chosen.
//
// With random weights alone no draft would ever be right. Therefore what decides the next token is made alike in trunk
// and MTP block: the feed-forward part of the last layer, which both have with the same weights, writes into the half
// of the stream that the head reads. All other layers add little, in different ways. So some drafts are right and some
// are not; how many says nothing of a trained model.
#include "sized_model.h"

#include "ggml-cpp.h"
#include "ggml.h"
#include "gguf.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace inkling_test;

namespace {

gguf_context_ptr read_header(const std::string & path) {
    gguf_context_ptr file(gguf_init_from_file(path.c_str(), {/*no_alloc =*/true, nullptr}));
    if (file == nullptr) {
        throw std::runtime_error(path + " is not a GGUF file");
    }
    return file;
}

// Fills the tokenizer up to Qwen's number of tokens with ones that no text contains.
void widen_vocabulary(gguf_context * header) {
    const int64_t tokens = gguf_find_key(header, "tokenizer.ggml.tokens");
    const int64_t types  = gguf_find_key(header, "tokenizer.ggml.token_type");
    if (tokens < 0 || types < 0) {
        throw std::runtime_error("the source has no tokenizer");
    }
    std::vector<std::string> names;
    const size_t             own = gguf_get_arr_n(header, tokens);
    if (own > static_cast<size_t>(DRAWN_ROWS)) {
        throw std::runtime_error("the source's vocabulary is too large");
    }
    for (size_t i = 0; i < own; ++i) {
        names.emplace_back(gguf_get_arr_str(header, tokens, i));
    }
    const auto *         first = static_cast<const int32_t *>(gguf_get_arr_data(header, types));
    std::vector<int32_t> kinds(first, first + own);
    constexpr int32_t    UNUSED_TOKEN = 5;
    while (names.size() < VOCABULARY) {
        names.push_back("<|unused_" + std::to_string(names.size()) + "|>");
        kinds.push_back(UNUSED_TOKEN);
    }
    std::vector<const char *> pointers;
    for (const std::string & name : names) {
        pointers.push_back(name.c_str());
    }
    gguf_set_arr_str(header, "tokenizer.ggml.tokens", pointers.data(), pointers.size());
    gguf_set_arr_data(header, "tokenizer.ggml.token_type", GGUF_TYPE_INT32, kinds.data(), kinds.size());
}

// The rows that are drawn, quantized.
std::vector<char> draw(const weights & tensor) {
    const int64_t      columns  = tensor.shape[0];
    const size_t       row_size = ggml_row_size(tensor.type, columns);
    std::vector<char>  bytes(row_size * static_cast<size_t>(tensor.drawn_rows));
    std::vector<float> values(static_cast<size_t>(columns));
    for (int64_t row = 0; row < tensor.drawn_rows; ++row) {
        tensor.write(row, values.data());
        char * to = bytes.data() + static_cast<size_t>(row) * row_size;
        if (tensor.type == GGML_TYPE_F32) {
            std::copy_n(reinterpret_cast<const char *>(values.data()), row_size, to);
        } else {
            ggml_quantize_chunk(tensor.type, values.data(), to, 0, 1, columns, nullptr);
        }
    }
    return bytes;
}

void write_model(const std::string & source, const std::string & output_path, const dimensions & size, bool all_q8) {
    const gguf_context_ptr from = read_header(source);
    gguf_context_ptr       output(gguf_init_empty());
    gguf_set_kv(output.get(), from.get());
    widen_vocabulary(output.get());
    const sized_model model(size, all_q8, output.get());

    const ggml_context_ptr shapes(ggml_init({ggml_tensor_overhead() * model.tensors().size(), nullptr, true}));
    for (const weights & tensor : model.tensors()) {
        ggml_tensor * shape =
            ggml_new_tensor(shapes.get(), tensor.type, static_cast<int>(tensor.shape.size()), tensor.shape.data());
        ggml_set_name(shape, tensor.name.c_str());
        gguf_add_tensor(output.get(), shape);
    }
    std::vector<char> header(gguf_get_meta_size(output.get()));
    gguf_get_meta_data(output.get(), header.data());
    std::ofstream out(output_path, std::ios::binary);
    out.write(header.data(), static_cast<std::streamsize>(header.size()));
    const size_t                             alignment = gguf_get_alignment(output.get());
    std::map<std::string, std::vector<char>> sources;
    for (const weights & tensor : model.tensors()) {
        std::vector<char> & drawn = sources[tensor.source];
        if (drawn.empty()) {
            drawn = draw(tensor);
        }
        const size_t row      = ggml_row_size(tensor.type, tensor.shape[0]);
        const size_t whole    = row * static_cast<size_t>(tensor.rows());
        // A table repeats its second half only: the tokens that are never chosen.
        const size_t repeated = tensor.rows() == VOCABULARY ? drawn.size() / 2 : 0;
        size_t       left     = whole;
        for (size_t at = row * static_cast<size_t>(tensor.first_row); left > 0; at = repeated) {
            const size_t count = std::min(left, drawn.size() - at);
            out.write(drawn.data() + at, static_cast<std::streamsize>(count));
            left -= count;
        }
        const std::vector<char> padding((alignment - whole % alignment) % alignment, 0);
        out.write(padding.data(), static_cast<std::streamsize>(padding.size()));
    }
    out.close();
    if (!out) {
        throw std::runtime_error(output_path + " could not be written");
    }
}

} // namespace

int main(int argc, char ** argv) {
    try {
        const std::string_view name = argc == 5 ? argv[3] : "";
        const std::string_view type = argc == 5 ? argv[4] : "";
        const auto *           size = std::find_if(std::begin(SIZES), std::end(SIZES),
                                                   [&](const dimensions & each) { return each.name == name; });
        if (size == std::end(SIZES) || (type != "Q4_K_M" && type != "Q8_0")) {
            throw std::invalid_argument("usage: make_sized_model TOKENIZER_FROM OUTPUT 0.8B|4B|9B Q4_K_M|Q8_0");
        }
        write_model(argv[1], argv[2], *size, type == "Q8_0");
        return 0;
    } catch (const std::exception & error) {
        std::cerr << "make_sized_model: " << error.what() << '\n';
        return 1;
    }
}

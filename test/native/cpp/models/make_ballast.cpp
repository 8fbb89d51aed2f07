// make_ballast SOURCE OUTPUT FEED_FORWARD_LENGTH keep|q8_0
//
// Writes a copy of the model SOURCE with its feed-forward layers padded to FEED_FORWARD_LENGTH. The gate and up
// matrices get zero rows, the down matrix gets zero columns. The zeros add nothing, so the model has the same output at
// the cost of a larger one. `keep` copies the quantized blocks byte for byte, as a zero block of any ggml type is all
// zero bytes. `q8_0` first requantizes every quantized matrix. With the model's own length as FEED_FORWARD_LENGTH, that
// makes the small model to compare with.
#include "ggml-cpp.h"
#include "ggml.h"
#include "gguf.h"

#include <cstdint>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct model_file {
    gguf_context_ptr header;
    ggml_context_ptr tensors;
};

model_file open_model(const std::string & path) {
    ggml_context *   tensors = nullptr;
    gguf_init_params params{/*no_alloc =*/false, &tensors};
    gguf_context_ptr header(gguf_init_from_file(path.c_str(), params));
    if (header == nullptr) {
        throw std::runtime_error(path + " is not a GGUF file");
    }
    return {std::move(header), ggml_context_ptr(tensors)};
}

// The bytes of one tensor, requantized on request.
struct matrix {
    ggml_type            type;
    int64_t              columns;
    int64_t              rows;
    std::vector<uint8_t> bytes;

    size_t row_bytes() const { return ggml_row_size(type, columns); }
};

matrix read_matrix(const ggml_tensor * source, ggml_type wanted) {
    matrix       result{source->type, source->ne[0], ggml_nrows(source), {}};
    const auto * data = static_cast<const uint8_t *>(source->data);
    if (!ggml_is_quantized(source->type) || wanted == GGML_TYPE_COUNT) {
        result.bytes.assign(data, data + ggml_nbytes(source));
        return result;
    }
    std::vector<float> values(static_cast<size_t>(result.columns * result.rows));
    ggml_get_type_traits(source->type)->to_float(data, values.data(), result.columns * result.rows);
    result.type = wanted;
    result.bytes.resize(result.row_bytes() * static_cast<size_t>(result.rows));
    ggml_quantize_chunk(wanted, values.data(), result.bytes.data(), 0, result.rows, result.columns, nullptr);
    return result;
}

bool ends_with(std::string_view name, std::string_view end) {
    return name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
}

void write_zeros(std::ofstream & out, size_t count) {
    static const std::vector<char> zeros(1 << 20, 0);
    for (; count > zeros.size(); count -= zeros.size()) {
        out.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
    }
    out.write(zeros.data(), static_cast<std::streamsize>(count));
}

void write_padded(std::ofstream & out, const matrix & content, int64_t columns, int64_t rows) {
    const size_t row     = content.row_bytes();
    const size_t filling = ggml_row_size(content.type, columns) - row;
    for (int64_t i = 0; i < content.rows; ++i) {
        out.write(reinterpret_cast<const char *>(content.bytes.data()) + static_cast<size_t>(i) * row,
                  static_cast<std::streamsize>(row));
        write_zeros(out, filling);
    }
    write_zeros(out, (row + filling) * static_cast<size_t>(rows - content.rows));
}

std::string feed_forward_key(const gguf_context * header) {
    const int64_t architecture = gguf_find_key(header, "general.architecture");
    if (architecture < 0) {
        throw std::runtime_error("the file does not name its architecture");
    }
    const std::string key = gguf_get_val_str(header, architecture) + std::string(".feed_forward_length");
    const int64_t     id  = gguf_find_key(header, key.c_str());
    if (id < 0 || gguf_get_kv_type(header, id) != GGUF_TYPE_UINT32) {
        throw std::runtime_error("the file has no number " + key);
    }
    return key;
}

void pad_model(const std::string & source_path, const std::string & output_path, int64_t length, ggml_type wanted) {
    const model_file  source = open_model(source_path);
    const std::string key    = feed_forward_key(source.header.get());
    const int64_t     own    = gguf_get_val_u32(source.header.get(), gguf_find_key(source.header.get(), key.c_str()));

    gguf_context_ptr output(gguf_init_empty());
    gguf_set_kv(output.get(), source.header.get());
    gguf_set_val_u32(output.get(), key.c_str(), static_cast<uint32_t>(length));
    if (wanted == GGML_TYPE_Q8_0) {
        gguf_set_val_u32(output.get(), "general.file_type", GGML_FTYPE_MOSTLY_Q8_0);
    }

    const int64_t          count = gguf_get_n_tensors(source.header.get());
    const ggml_context_ptr shapes(ggml_init({ggml_tensor_overhead() * static_cast<size_t>(count), nullptr, true}));
    struct shape {
        const ggml_tensor * source;
        int64_t             columns;
        int64_t             rows;
    };
    std::vector<shape> order;
    for (int64_t i = 0; i < count; ++i) {
        const char *        name    = gguf_get_tensor_name(source.header.get(), i);
        const ggml_tensor * from    = ggml_get_tensor(source.tensors.get(), name);
        const bool          taller  = ends_with(name, "ffn_gate.weight") || ends_with(name, "ffn_up.weight");
        const bool          wider   = ends_with(name, "ffn_down.weight");
        const int64_t       columns = wider ? length : from->ne[0];
        const int64_t       rows    = taller ? length : ggml_nrows(from);
        const ggml_type     type    = ggml_is_quantized(from->type) && wanted != GGML_TYPE_COUNT ? wanted : from->type;
        if ((taller && from->ne[1] != own) || (wider && from->ne[0] != own)) {
            throw std::runtime_error(std::string(name) + " does not have the length that the file names");
        }
        if (length < own || columns % ggml_blck_size(type) != 0) {
            throw std::runtime_error("the length must be at least " + std::to_string(own) + " and a multiple of " +
                                     std::to_string(ggml_blck_size(type)));
        }
        int64_t ne[GGML_MAX_DIMS] = {columns, from->ne[1], from->ne[2], from->ne[3]};
        if (taller) {
            ne[1] = rows;
        }
        ggml_tensor * to = ggml_new_tensor(shapes.get(), type, ggml_n_dims(from), ne);
        ggml_set_name(to, name);
        gguf_add_tensor(output.get(), to);
        order.push_back({from, columns, rows});
    }

    std::vector<char> header(gguf_get_meta_size(output.get()));
    gguf_get_meta_data(output.get(), header.data());
    std::ofstream out(output_path, std::ios::binary);
    out.write(header.data(), static_cast<std::streamsize>(header.size()));
    const size_t alignment = gguf_get_alignment(output.get());
    for (const shape & item : order) {
        const matrix content = read_matrix(item.source, wanted);
        write_padded(out, content, item.columns, item.rows);
        const size_t bytes = ggml_row_size(content.type, item.columns) * static_cast<size_t>(item.rows);
        write_zeros(out, (alignment - bytes % alignment) % alignment);
    }
    out.close();
    if (!out) {
        throw std::runtime_error(output_path + " could not be written");
    }
}

} // namespace

int main(int argc, char ** argv) {
    const std::string usage = "usage: make_ballast SOURCE OUTPUT FEED_FORWARD_LENGTH keep|q8_0";
    try {
        const std::string_view type   = argc == 5 ? argv[4] : "";
        const std::string      length = argc == 5 ? argv[3] : "";
        if ((type != "keep" && type != "q8_0") || length.empty() || length.size() > 9 ||
            length.find_first_not_of("0123456789") != std::string::npos) {
            throw std::invalid_argument(usage);
        }
        pad_model(argv[1], argv[2], std::stol(length), type == "q8_0" ? GGML_TYPE_Q8_0 : GGML_TYPE_COUNT);
        return 0;
    } catch (const std::exception & error) {
        std::cerr << "make_ballast: " << error.what() << '\n';
        return 1;
    }
}

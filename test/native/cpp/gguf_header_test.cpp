#include "check.h"
#include "gguf_builder.h"

#include "engine/llama/gguf_header.h"
#include "engine/memory/memory_estimate.h"

#include "ggml.h"
#include "gguf.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using inkling::read_gguf_header;
using inkling_test::error_code_of;

namespace {

// A file in the test's own folder. It is removed at the end of the scope.
class scratch_file {
  public:
    explicit scratch_file(const std::vector<char> & bytes)
        : path_((fs::temp_directory_path() / ("inkling-header-" + std::to_string(counter_++) + ".gguf")).string()) {
        std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    ~scratch_file() { fs::remove(path_); }

    const std::string & path() const { return path_; }

  private:
    static inline int counter_ = 0;
    std::string       path_;
};

std::vector<char> beginning_of_model(size_t bytes) {
    std::vector<char> data(bytes);
    std::ifstream(inkling_test::model_path(), std::ios::binary).read(data.data(), static_cast<std::streamsize>(bytes));
    return data;
}

std::string code_for(const std::vector<char> & bytes) {
    const scratch_file file(bytes);
    return error_code_of([&] { read_gguf_header(file.path()); });
}

// A folder that is removed at the end of the scope.
class scratch_folder {
  public:
    explicit scratch_folder(const std::string & name) : path_(fs::temp_directory_path() / fs::u8path(name)) {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    ~scratch_folder() { fs::remove_all(path_); }

    std::string file(const std::string & name) const { return (path_ / name).string(); }

  private:
    fs::path path_;
};

// One part of a split model, with one tensor of 4 * `values` bytes.
void write_part(const std::string & path, uint16_t index, uint16_t count, int64_t values) {
    const std::unique_ptr<gguf_context, decltype(&gguf_free)> file(gguf_init_empty(), gguf_free);
    if (index == 0) {
        gguf_set_val_str(file.get(), "general.architecture", "qwen2");
        gguf_set_val_u32(file.get(), "qwen2.block_count", 2);
    }
    gguf_set_val_u16(file.get(), "split.no", index);
    gguf_set_val_u16(file.get(), "split.count", count);
    const std::unique_ptr<ggml_context, decltype(&ggml_free)> tensors(ggml_init({1 << 20, nullptr, false}), ggml_free);
    ggml_tensor * tensor = ggml_new_tensor_1d(tensors.get(), GGML_TYPE_F32, values);
    ggml_set_name(tensor, ("blk." + std::to_string(index) + ".weight").c_str());
    gguf_add_tensor(file.get(), tensor);
    gguf_write_to_file(file.get(), path.c_str(), /*only_meta =*/false);
}

// The first part of a model that counts its files in 32 bits, although GGUF's own tools use 16.
void write_first_part(const std::string & path, uint32_t count) {
    const std::unique_ptr<gguf_context, decltype(&gguf_free)> file(gguf_init_empty(), gguf_free);
    gguf_set_val_str(file.get(), "general.architecture", "qwen2");
    gguf_set_val_u32(file.get(), "split.count", count);
    gguf_write_to_file(file.get(), path.c_str(), /*only_meta =*/true);
}

// Reads a header of the architecture qwen35 with what `add` adds.
void read_header_with(const std::function<void(gguf_context *)> & add) {
    const scratch_folder                                      folder("inkling-numbers");
    const std::unique_ptr<gguf_context, decltype(&gguf_free)> file(gguf_init_empty(), gguf_free);
    gguf_set_val_str(file.get(), "general.architecture", "qwen35");
    add(file.get());
    const std::string path = folder.file("model.gguf");
    gguf_write_to_file(file.get(), path.c_str(), /*only_meta =*/true);
    read_gguf_header(path);
}

std::string code_of_header(const std::function<void(gguf_context *)> & add) {
    return error_code_of([&] { read_header_with(add); });
}

} // namespace

TEST("the reader adds up the files of a split model, and so does the memory guard") {
    const scratch_folder folder("inkling-split");
    const std::string    first = folder.file("model-00001-of-00002.gguf");
    write_part(first, 0, 2, 1'000);
    CHECK_EQUAL(error_code_of([&] { read_gguf_header(first); }), "fileNotFound");
    const std::string second = folder.file("model-00002-of-00002.gguf");
    write_part(second, 1, 2, 200'000);
    const auto header = read_gguf_header(first);
    CHECK(header.paths == std::vector<std::string>({first, second}));
    CHECK_EQUAL(header.tensor_count, 2);
    CHECK_EQUAL(header.tensor_bytes, 4u * 201'000u);
    CHECK_EQUAL(header.file_bytes, fs::file_size(first) + fs::file_size(second));
    CHECK(inkling::generous_estimate(header, {}) > header.tensor_bytes);
    fs::resize_file(second, fs::file_size(second) - 64);
    CHECK_EQUAL(error_code_of([&] { read_gguf_header(first); }), "truncatedFile");
}

TEST("the reader refuses a model of more files than names can count, and opens each file before it names the next") {
    const scratch_folder folder("inkling-many-parts");
    const std::string    absurd = folder.file("model-00001-of-2147483647.gguf");
    write_first_part(absurd, 2'147'483'647);
    CHECK_EQUAL(error_code_of([&] { read_gguf_header(absurd); }), "truncatedFile");
    const std::string more = folder.file("model-00001-of-100000.gguf");
    write_first_part(more, 100'000);
    CHECK_EQUAL(error_code_of([&] { read_gguf_header(more); }), "truncatedFile");
    const std::string unsigned_count = folder.file("model-00001-of-4294967295.gguf");
    write_first_part(unsigned_count, 4'294'967'295);
    CHECK_EQUAL(error_code_of([&] { read_gguf_header(unsigned_count); }), "truncatedFile");
    const std::string most = folder.file("model-00001-of-99999.gguf");
    write_first_part(most, 99'999);
    CHECK_EQUAL(error_code_of([&] { read_gguf_header(most); }), "fileNotFound");
}

TEST("a file of more tensors or keys than any model has is refused before they are read") {
    // llama.cpp compares each name with all those before it, so a file of 100 MB would take hours.
    const scratch_folder folder("inkling-many-tensors");
    const std::string    path = folder.file("model.gguf");
    for (const int64_t count : {16'384, 16'385}) {
        std::vector<char> bytes = {'G', 'G', 'U', 'F'};
        const auto        put   = [&](auto value) {
            const auto * begin = reinterpret_cast<const char *>(&value);
            bytes.insert(bytes.end(), begin, begin + sizeof(value));
        };
        const auto put_text = [&](const std::string & text) {
            put(static_cast<uint64_t>(text.size()));
            bytes.insert(bytes.end(), text.begin(), text.end());
        };
        put(uint32_t{3});
        put(count);
        put(int64_t{1});
        put_text("general.architecture");
        put(static_cast<uint32_t>(GGUF_TYPE_STRING));
        put_text("qwen2");
        for (int64_t i = 0; i < count; ++i) {
            put_text("blk." + std::to_string(i));
            put(uint32_t{1});
            put(int64_t{0});
            put(static_cast<uint32_t>(GGML_TYPE_F32));
            put(uint64_t{0});
        }
        bytes.resize(bytes.size() + 64);
        std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        CHECK_EQUAL(error_code_of([&] { CHECK_EQUAL(read_gguf_header(path).tensor_count, count); }),
                    count > 16'384 ? "truncatedFile" : "nothing");
    }
    std::vector<char> bytes   = beginning_of_model(200'000);
    const int64_t     entries = 16'385;
    std::copy_n(reinterpret_cast<const char *>(&entries), sizeof(entries), bytes.begin() + 16);
    const scratch_file file(bytes);
    try {
        read_gguf_header(file.path());
        CHECK(false);
    } catch (const inkling::engine_error & error) {
        CHECK(std::string(error.what()).find("16385") != std::string::npos);
    }
}

TEST("numbers that end the process in a computation are refused, and those of models are not") {
    const auto code_with = [](const std::vector<std::pair<std::string, uint32_t>> & numbers) {
        return code_of_header([&](gguf_context * file) {
            for (const auto & [key, value] : numbers) {
                gguf_set_val_u32(file, ("qwen35." + key).c_str(), value);
            }
        });
    };
    CHECK_EQUAL(code_with({{"rope.dimension_count", 64}, {"attention.key_length", 64}}), "nothing");
    CHECK_EQUAL(code_with({{"rope.dimension_count", 32}, {"full_attention_interval", 4}}), "nothing");
    CHECK_EQUAL(code_with({{"rope.dimension_count", 0}, {"attention.key_length", 64}}), "nothing");
    CHECK_EQUAL(code_with({{"rope.dimension_count", 31}}), "truncatedFile");
    CHECK_EQUAL(code_with({{"rope.dimension_count", 66}, {"attention.key_length", 64}}), "truncatedFile");
    CHECK_EQUAL(code_with({{"rope.dimension_count", UINT32_MAX}}), "truncatedFile");
    CHECK_EQUAL(code_with({{"full_attention_interval", 0}}), "truncatedFile");
}

TEST("a vocabulary with which llama.cpp would never end, take gigabytes or end the process is refused") {
    const auto code_with = [](const char * tokenizer, const std::vector<std::string> & tokens) {
        std::vector<const char *> texts;
        texts.reserve(tokens.size());
        for (const std::string & token : tokens) {
            texts.push_back(token.c_str());
        }
        return code_of_header([&](gguf_context * file) {
            gguf_set_val_str(file, "tokenizer.ggml.model", tokenizer);
            gguf_set_arr_str(file, "tokenizer.ggml.tokens", texts.data(), texts.size());
        });
    };
    const auto of_length = [](size_t count, size_t length) {
        std::vector<std::string> tokens(count, std::string(length, 'a'));
        for (size_t i = 0; i < count; ++i) {
            tokens[i].replace(0, std::to_string(i).size(), std::to_string(i));
        }
        return tokens;
    };
    CHECK_EQUAL(code_with("gpt2", {"a", "b"}), "nothing");
    CHECK_EQUAL(code_with("gpt2", {}), "truncatedFile");
    CHECK_EQUAL(code_with("none", {}), "nothing");
    CHECK_EQUAL(code_with("test", {"a"}), "unsupportedModel");
    // Long ones.
    CHECK_EQUAL(code_with("gpt2", of_length(16, 4096)), "nothing");
    CHECK_EQUAL(code_with("gpt2", of_length(17, 4096)), "truncatedFile");
    CHECK_EQUAL(code_with("gpt2", of_length(1, 4097)), "truncatedFile");
    CHECK_EQUAL(code_with("plamo2", of_length(1, 1024)), "nothing");
    CHECK_EQUAL(code_with("plamo2", of_length(1, 1025)), "truncatedFile");
    CHECK_EQUAL(code_with("llama", of_length(360'000, 24)), "nothing");
    CHECK_EQUAL(code_with("t5", of_length(360'000, 24)), "truncatedFile");
    // Many.
    CHECK_EQUAL(code_with("gpt2", std::vector<std::string>((1 << 20) + 1, "a")), "truncatedFile");
    // Words that begin with no token, as RWKV writes them.
    CHECK_EQUAL(code_with("rwkv", {"a", "ab", "\\n", "\\x0ab", "\\\\", "\\\\n"}), "nothing");
    CHECK_EQUAL(code_with("rwkv", {"a", "bc"}), "truncatedFile");
    CHECK_EQUAL(code_with("rwkv", {"a", "\\nb"}), "truncatedFile");
    CHECK_EQUAL(code_with("rwkv", {"n", "\\xc3\\xa9"}), "truncatedFile");
}

TEST("a model that is named Phi-3, and lacks a token that llama.cpp then asks for, is refused by what it lacks") {
    const auto refusal = [](const char * name, std::vector<const char *> tokens) {
        try {
            read_header_with([&](gguf_context * file) {
                gguf_set_val_str(file, "general.name", name);
                gguf_set_val_str(file, "tokenizer.ggml.model", "gpt2");
                gguf_set_arr_str(file, "tokenizer.ggml.tokens", tokens.data(), tokens.size());
            });
        } catch (const inkling::engine_error & error) {
            CHECK_EQUAL(to_string(error.code()), std::string("unsupportedModel"));
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_EQUAL(refusal("Phi 3", {"a"}), "");
    CHECK_EQUAL(refusal("My Phi-3", {"<s>", "</s>", "<unk>", "<|endoftext|>"}), "");
    CHECK(refusal("My Phi-3", {"<s>", "<unk>", "<|endoftext|>"})
              .ends_with("model.gguf cannot be loaded: its name has 'phi-3' in it, and its vocabulary has no token "
                         "'</s>' as that of Phi-3. Choose another model"));
    CHECK(refusal("phi3", {"<s>", "</s>", "<unk>"}).find("no token '<|endoftext|>'") != std::string::npos);
}

TEST("a header with more values than any model has, or with a huge text, is refused before llama.cpp reads it") {
    const auto code_of_values = [](size_t count) {
        const std::vector<uint8_t> values(count);
        return code_of_header([&](gguf_context * file) {
            gguf_set_arr_data(file, "values", GGUF_TYPE_UINT8, values.data(), values.size());
        });
    };
    const auto code_of_text = [](size_t bytes) {
        const std::string text(bytes, 'a');
        return code_of_header([&](gguf_context * file) { gguf_set_val_str(file, "text", text.c_str()); });
    };
    CHECK_EQUAL(code_of_values(8'000'000), "nothing");
    CHECK_EQUAL(code_of_values(8'400'000), "truncatedFile");
    CHECK_EQUAL(code_of_text(16 << 20), "nothing");
    CHECK_EQUAL(code_of_text((16 << 20) + 1), "truncatedFile");
}

TEST("an architecture has a short name") {
    const auto code_with = [](size_t length) {
        const std::string name(length, 'a');
        return code_of_header(
            [&](gguf_context * file) { gguf_set_val_str(file, "general.architecture", name.c_str()); });
    };
    CHECK_EQUAL(code_with(64), "nothing");
    CHECK_EQUAL(code_with(65), "notGguf");
    CHECK_EQUAL(code_with(0), "notGguf");
}

TEST("what norms add is a number of at least zero") {
    const auto code_with = [](float epsilon) {
        return code_of_header(
            [&](gguf_context * file) { gguf_set_val_f32(file, "qwen35.attention.layer_norm_rms_epsilon", epsilon); });
    };
    CHECK_EQUAL(code_with(1e-6F), "nothing");
    CHECK_EQUAL(code_with(0), "nothing");
    CHECK_EQUAL(code_with(-1e-6F), "truncatedFile");
    CHECK_EQUAL(code_with(std::numeric_limits<float>::quiet_NaN()), "truncatedFile");
}

TEST("the memory guard does not overflow where a header gives absurd sizes") {
    inkling::gguf_header header;
    header.tensor_bytes     = 1 << 20;
    header.block_count      = 12;
    header.embedding_length = 512;
    header.context_length   = 8192;
    const uint64_t usual    = inkling::generous_estimate(header, {});
    CHECK(usual > header.tensor_bytes && usual < uint64_t{1} << 32);
    // The product of these two is 2^64.
    header.head_count = header.key_length = INT64_C(1) << 32;
    CHECK_EQUAL(inkling::generous_estimate(header, {}), UINT64_MAX);
    header.head_count = header.key_length = 1;
    header.tensor_bytes                   = UINT64_MAX;
    CHECK_EQUAL(inkling::generous_estimate(header, {}), UINT64_MAX);
}

TEST("the reader opens a file whose name is not ASCII") {
    const scratch_folder folder("inkling-\xC3\xBC\xE6\xA8\xA1");
    const std::string    path = folder.file("mod\xC3\xA8le.gguf");
    fs::copy_file(inkling_test::model_path(), fs::u8path(path));
    CHECK_EQUAL(read_gguf_header(path).architecture, "qwen35");
}

TEST("the reader reads the starter model's header") {
    const auto header = read_gguf_header(inkling_test::model_path());
    CHECK_EQUAL(header.architecture, "qwen35");
    CHECK_EQUAL(header.file_bytes, fs::file_size(inkling_test::model_path()));
    CHECK(header.tensor_count > 100);
    CHECK(header.tensor_bytes > header.file_bytes * 9 / 10 && header.tensor_bytes < header.file_bytes);
}

TEST("the reader tells apart a missing file, a folder, an empty file and another format") {
    CHECK_EQUAL(error_code_of([] { read_gguf_header("/nowhere/model.gguf"); }), "fileNotFound");
    CHECK_EQUAL(error_code_of([] { read_gguf_header(fs::temp_directory_path().string()); }), "notGguf");
    CHECK_EQUAL(code_for({}), "notGguf");
    CHECK_EQUAL(code_for({'P', 'K', 3, 4, 0, 0, 0, 0}), "notGguf");
}

TEST("a file cut in its header or in its tensors counts as truncated") {
    for (const size_t length : {4u, 12u, 24u, 100u, 100'000u}) {
        CHECK_EQUAL(code_for(beginning_of_model(length)), "truncatedFile");
    }
    const size_t whole = fs::file_size(inkling_test::model_path());
    CHECK_EQUAL(code_for(beginning_of_model(whole / 2)), "truncatedFile");
    CHECK_EQUAL(code_for(beginning_of_model(whole - 1)), "truncatedFile");
}

TEST("the reader refuses a header with impossible counts") {
    std::vector<char> bytes = beginning_of_model(200'000);
    for (size_t i = 8; i < 24; ++i) {
        bytes[i] = static_cast<char>(0xFF);
    }
    CHECK_EQUAL(code_for(bytes), "truncatedFile");
}

#include "check.h"

#include "engine/llama/gguf_header.h"

#include <filesystem>
#include <fstream>
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

} // namespace

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

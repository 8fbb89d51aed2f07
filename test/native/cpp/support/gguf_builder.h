#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct ggml_context;
struct gguf_context;

namespace inkling_test {

// How the values of a random tensor are drawn. The same name gives the same values in the same model, on any platform.
enum class filling {
    matrix,   // normal; a row has length `gain`. In weight_type() if its row length allows that, otherwise Q8_0
    table,    // like matrix, but Q8_0, which is quick to write for a whole vocabulary
    router,   // like matrix, in F32
    kernel,   // normal with deviation `gain`, F32
    norm,     // close to 1, F32
    decay,    // from -1 to -0.05, F32: the logarithm of how a state fades
    constant, // `gain`, F32
};

// Writes a GGUF file with random weights through ggml's own writer. The whole file stays in memory until write().
class gguf_builder {
  public:
    // Copies the tokenizer's metadata from the model file tokenizer_from. Throws std::runtime_error if that cannot be
    // read.
    gguf_builder(const std::string & architecture, const std::string & tokenizer_from);
    ~gguf_builder();

    gguf_builder(const gguf_builder &)             = delete;
    gguf_builder & operator=(const gguf_builder &) = delete;

    // Named as in ggml: "q4_K" (the default), "f16". Throws std::runtime_error if there is no such type.
    void set_weight_type(const std::string & name);

    // A key of the architecture: "block_count" becomes "<architecture>.block_count".
    void set(const std::string & key, uint32_t value);
    void set(const std::string & key, float value);
    void set(const std::string & key, const std::vector<int32_t> & values);

    // The shape is as in GGUF: the length of a row comes first.
    void add(const std::string & name, const std::vector<int64_t> & shape, filling how, float gain = 1.0f);
    // Writes Q8_0 if the row length allows it, otherwise F32.
    void add_values(const std::string & name, const std::vector<int64_t> & shape, std::vector<float> values);

    std::vector<float> random_values(const std::string & name, int64_t count, float deviation) const;

    int64_t vocabulary_size() const { return vocabulary_size_; }
    int32_t end_token() const { return end_token_; }

    // Throws std::runtime_error if the file cannot be written.
    void write(const std::filesystem::path & path) const;

  private:
    void store(const std::string & name, const std::vector<int64_t> & shape, int type,
               const std::vector<float> & values);

    struct gguf_deleter {
        void operator()(gguf_context * handle) const;
    };
    struct ggml_deleter {
        void operator()(ggml_context * handle) const;
    };

    std::string                                 architecture_;
    std::unique_ptr<gguf_context, gguf_deleter> file_;
    std::unique_ptr<ggml_context, ggml_deleter> tensors_;
    std::vector<std::vector<uint8_t>>           data_;
    int                                         weight_type_;
    int64_t                                     vocabulary_size_ = 0;
    int32_t                                     end_token_       = 0;
};

} // namespace inkling_test

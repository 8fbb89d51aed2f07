#include "gguf_builder.h"

#include "ggml.h"
#include "gguf.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace inkling_test {

namespace {

constexpr size_t MOST_TENSORS = 512;

// The standard library's distributions differ between platforms; these do not.
class random_source {
  public:
    explicit random_source(const std::string & name) {
        for (const char c : name) {
            state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
        }
    }

    uint64_t next() {
        uint64_t mixed = state_ += 0x9E3779B97F4A7C15ull;
        mixed          = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
        mixed          = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
        return mixed ^ (mixed >> 31);
    }

    // From 0 to 1.
    float uniform() { return static_cast<float>(next() >> 40) / static_cast<float>(1 << 24); }

    // Nearly normal with deviation 1: the sum of four uniform numbers of 16 bits.
    float normal() {
        const uint64_t bits = next();
        const auto     sum =
            static_cast<float>((bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) + ((bits >> 32) & 0xFFFF) + (bits >> 48));
        return (sum / 65536.0f - 2.0f) * std::sqrt(3.0f);
    }

  private:
    uint64_t state_ = 0xCBF29CE484222325ull;
};

} // namespace

void gguf_builder::gguf_deleter::operator()(gguf_context * handle) const {
    gguf_free(handle);
}

void gguf_builder::ggml_deleter::operator()(ggml_context * handle) const {
    ggml_free(handle);
}

gguf_builder::~gguf_builder() = default;

gguf_builder::gguf_builder(const std::string & architecture, const std::string & tokenizer_from)
    : architecture_(architecture), file_(gguf_init_empty()), weight_type_(GGML_TYPE_Q4_K) {
    const std::unique_ptr<gguf_context, gguf_deleter> source(
        gguf_init_from_file(tokenizer_from.c_str(), {/*.no_alloc =*/true, /*.ctx =*/nullptr}));
    if (source == nullptr) {
        throw std::runtime_error("The tokenizer cannot be read from " + tokenizer_from);
    }
    gguf_set_kv(file_.get(), source.get());
    for (int64_t i = gguf_get_n_kv(source.get()) - 1; i >= 0; --i) {
        const std::string key = gguf_get_key(source.get(), i);
        if (!key.starts_with("tokenizer.")) {
            gguf_remove_key(file_.get(), key.c_str());
        }
    }
    vocabulary_size_ =
        static_cast<int64_t>(gguf_get_arr_n(file_.get(), gguf_find_key(file_.get(), "tokenizer.ggml.tokens")));
    end_token_ =
        static_cast<int32_t>(gguf_get_val_u32(file_.get(), gguf_find_key(file_.get(), "tokenizer.ggml.eos_token_id")));
    gguf_set_val_str(file_.get(), "general.architecture", architecture.c_str());
    gguf_set_val_str(file_.get(), "general.name", ("tiny " + architecture).c_str());

    tensors_.reset(ggml_init({/*.mem_size =*/MOST_TENSORS * ggml_tensor_overhead(), /*.mem_buffer =*/nullptr,
                              /*.no_alloc =*/true}));
    data_.reserve(MOST_TENSORS);
}

void gguf_builder::set_weight_type(const std::string & name) {
    for (int type = 0; type < GGML_TYPE_COUNT; ++type) {
        const char * candidate = ggml_type_name(static_cast<ggml_type>(type));
        if (candidate != nullptr && name == candidate) {
            weight_type_ = type;
            return;
        }
    }
    throw std::runtime_error("There is no weight type " + name);
}

void gguf_builder::set(const std::string & key, uint32_t value) {
    gguf_set_val_u32(file_.get(), (architecture_ + "." + key).c_str(), value);
}

void gguf_builder::set(const std::string & key, float value) {
    gguf_set_val_f32(file_.get(), (architecture_ + "." + key).c_str(), value);
}

void gguf_builder::set(const std::string & key, const std::vector<int32_t> & values) {
    gguf_set_arr_data(file_.get(), (architecture_ + "." + key).c_str(), GGUF_TYPE_INT32, values.data(), values.size());
}

std::vector<float> gguf_builder::random_values(const std::string & name, int64_t count, float deviation) const {
    random_source      random(architecture_ + "/" + name);
    std::vector<float> values(static_cast<size_t>(count));
    for (float & value : values) {
        value = deviation * random.normal();
    }
    return values;
}

void gguf_builder::add(const std::string & name, const std::vector<int64_t> & shape, filling how, float gain) {
    const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    const int64_t row   = shape.front();
    const auto    unit  = gain / std::sqrt(static_cast<float>(row));
    switch (how) {
        case filling::matrix:
            store(name, shape,
                  row % ggml_blck_size(static_cast<ggml_type>(weight_type_)) == 0 ? weight_type_ : GGML_TYPE_Q8_0,
                  random_values(name, count, unit));
            break;
        case filling::table: store(name, shape, GGML_TYPE_Q8_0, random_values(name, count, gain)); break;
        case filling::router: store(name, shape, GGML_TYPE_F32, random_values(name, count, unit)); break;
        case filling::kernel: store(name, shape, GGML_TYPE_F32, random_values(name, count, gain)); break;
        case filling::norm: {
            auto values = random_values(name, count, 0.1f);
            for (float & value : values) {
                value += 1.0f;
            }
            store(name, shape, GGML_TYPE_F32, values);
            break;
        }
        case filling::decay: {
            random_source      random(architecture_ + "/" + name);
            std::vector<float> values(static_cast<size_t>(count));
            for (float & value : values) {
                value = -0.05f - 0.95f * random.uniform();
            }
            store(name, shape, GGML_TYPE_F32, values);
            break;
        }
        case filling::constant:
            store(name, shape, GGML_TYPE_F32, std::vector<float>(static_cast<size_t>(count), gain));
            break;
    }
}

void gguf_builder::add_values(const std::string & name, const std::vector<int64_t> & shape, std::vector<float> values) {
    store(name, shape, shape.front() % 32 == 0 ? GGML_TYPE_Q8_0 : GGML_TYPE_F32, values);
}

void gguf_builder::store(const std::string & name, const std::vector<int64_t> & shape, int type,
                         const std::vector<float> & values) {
    const auto    kind   = static_cast<ggml_type>(type);
    ggml_tensor * tensor = ggml_new_tensor(tensors_.get(), kind, static_cast<int>(shape.size()), shape.data());
    ggml_set_name(tensor, name.c_str());
    std::vector<uint8_t> bytes(ggml_nbytes(tensor));
    if (kind == GGML_TYPE_F32) {
        std::memcpy(bytes.data(), values.data(), bytes.size());
    } else {
        ggml_quantize_chunk(kind, values.data(), bytes.data(), 0, ggml_nrows(tensor), shape.front(), nullptr);
    }
    data_.push_back(std::move(bytes));
    tensor->data = data_.back().data();
    gguf_add_tensor(file_.get(), tensor);
}

void gguf_builder::write(const std::filesystem::path & path) const {
    if (!gguf_write_to_file(file_.get(), path.string().c_str(), /*only_meta =*/false)) {
        throw std::runtime_error("The model cannot be written to " + path.string());
    }
}

} // namespace inkling_test

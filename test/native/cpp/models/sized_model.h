#pragma once

#include "ggml.h"
#include "gguf.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

// What make_sized_model writes: names, shapes, types and values of all tensors, and the facts in the header.
namespace inkling_test {

// From the models' config.json. All have heads of 256 and states of 128, and 16 key heads in recurrent layers.
struct dimensions {
    std::string_view name;
    uint32_t         layers; // without the MTP block
    uint32_t         width;
    uint32_t         feed_forward;
    uint32_t         heads;
    uint32_t         kv_heads;
    uint32_t         value_heads; // of recurrent layers
    bool             tied;        // the head is the embedding table
};
inline constexpr dimensions SIZES[] = {
    {"0.8B", 24, 1024, 3584, 8, 2, 16, true},
    {"4B", 32, 2560, 9216, 16, 4, 32, true},
    {"9B", 32, 4096, 12288, 16, 4, 32, false},
};
inline constexpr uint32_t HEAD_WIDTH         = 256;
inline constexpr uint32_t KEY_HEADS          = 16;
inline constexpr uint32_t STATE_WIDTH        = 128;
inline constexpr uint32_t CONV               = 4;
inline constexpr uint32_t ATTENTION_INTERVAL = 4;
inline constexpr uint32_t VOCABULARY         = 248'320;

// How much a layer adds to the stream, whose values have a deviation of about 1.
inline constexpr float   LAYER_GAIN = 0.02f;
inline constexpr float   LAST_GAIN  = 4.0f;
// What the embedding table has in the half that the head reads. With more, a token would be its own successor.
inline constexpr float   READ_HALF  = 0.05f;
// Of tokens that must not be chosen.
inline constexpr float   UNUSED     = 0.1f;
// Rows are drawn once and repeated. Enough that every token of the starter's vocabulary differs.
inline constexpr int64_t DRAWN_ROWS = 16'384;
inline constexpr int64_t CHUNK_ROWS = 1024;

// Draws the values of one row.
using row_writer = std::function<void(int64_t row, float * values)>;

struct weights {
    std::string          name;
    ggml_type            type;
    std::vector<int64_t> shape;      // as in GGUF: the length of a row comes first
    std::string          source;     // what its rows are drawn from; two with the same source share them
    int64_t              drawn_rows; // of the source; the rest repeats them
    int64_t              first_row;  // of those; two tensors with the same source begin at different ones
    row_writer           write;

    int64_t rows() const {
        int64_t count = 1;
        for (size_t i = 1; i < shape.size(); ++i) {
            count *= shape[i];
        }
        return count;
    }
};

class sized_model {
  public:
    sized_model(const dimensions & size, bool all_q8, gguf_context * header) : size_(size), all_q8_(all_q8) {
        describe(header);
        embeddings();
        vector("output_norm.weight", [this](int64_t i) { return reads(i) ? 1.0f : 0.0f; });
        for (uint32_t layer = 0; layer < size_.layers; ++layer) {
            const std::string at = block(layer);
            norm(at + "attn_norm.weight", size_.width);
            norm(at + "post_attention_norm.weight", size_.width);
            if ((layer + 1) % ATTENTION_INTERVAL == 0) {
                attention(layer);
            } else {
                recurrent(layer);
            }
            if (layer == size_.layers - 1) {
                deciding_feed_forward(layer);
            } else {
                feed_forward(layer);
            }
        }
        mtp_block();
    }

    const std::vector<weights> & tensors() const { return tensors_; }

  private:
    static std::string block(uint32_t layer) { return "blk." + std::to_string(layer) + "."; }

    bool reads(int64_t position) const { return position >= size_.width / 2; }

    void describe(gguf_context * header) const {
        const auto set = [&](const std::string & key, uint32_t value) {
            gguf_set_val_u32(header, ("qwen35." + key).c_str(), value);
        };
        gguf_set_val_str(header, "general.name",
                         ("Random weights of the size of Qwen3.5 " + std::string(size_.name)).c_str());
        gguf_set_val_u32(header, "general.file_type", all_q8_ ? GGML_FTYPE_MOSTLY_Q8_0 : 15 /* Q4_K_M */);
        gguf_remove_key(header, "inkling.next_edit_format");
        gguf_remove_key(header, "inkling.training_context_length");
        set("block_count", size_.layers + 1);
        set("context_length", 262'144);
        set("embedding_length", size_.width);
        set("feed_forward_length", size_.feed_forward);
        set("attention.head_count", size_.heads);
        set("attention.head_count_kv", size_.kv_heads);
        set("attention.key_length", HEAD_WIDTH);
        set("attention.value_length", HEAD_WIDTH);
        set("rope.dimension_count", HEAD_WIDTH / 4);
        gguf_set_val_f32(header, "qwen35.rope.freq_base", 1e7f);
        const int32_t sections[] = {11, 11, 10, 0};
        gguf_set_arr_data(header, "qwen35.rope.dimension_sections", GGUF_TYPE_INT32, sections, 4);
        set("ssm.conv_kernel", CONV);
        set("ssm.state_size", STATE_WIDTH);
        set("ssm.group_count", KEY_HEADS);
        set("ssm.time_step_rank", size_.value_heads);
        set("ssm.inner_size", size_.value_heads * STATE_WIDTH);
        set("full_attention_interval", ATTENTION_INTERVAL);
        set("nextn_predict_layers", 1);
        set("vocab_size", VOCABULARY);
    }

    void vector(const std::string & name, const std::function<float(int64_t)> & value, int64_t length = 0) {
        const int64_t count = length == 0 ? size_.width : length;
        tensors_.push_back({name, GGML_TYPE_F32, {count}, name, 1, 0, [value, count](int64_t, float * values) {
                                for (int64_t i = 0; i < count; ++i) {
                                    values[i] = value(i);
                                }
                            }});
    }

    void norm(const std::string & name, int64_t length) {
        vector(
            name, [](int64_t) { return 1.0f; }, length);
    }

    // Normal values; a row has length `gain`. Matrices of equal rows share what is drawn.
    void matrix(const std::string & name, ggml_type type, int64_t columns, int64_t rows, float gain = 1.0f) {
        std::ostringstream source;
        source << type << ' ' << columns << ' ' << gain;
        const int64_t first = static_cast<int64_t>(tensors_.size()) * 131 % CHUNK_ROWS;
        tensors_.push_back({name,
                            all_q8_ ? GGML_TYPE_Q8_0 : type,
                            {columns, rows},
                            source.str(),
                            CHUNK_ROWS,
                            first,
                            normal_rows(source.str(), columns, gain)});
    }

    // The same values under each name.
    void same_matrix(const std::string & name, const std::string & source, ggml_type type, int64_t columns,
                     int64_t rows, float gain) {
        tensors_.push_back({name,
                            all_q8_ ? GGML_TYPE_Q8_0 : type,
                            {columns, rows},
                            source,
                            rows,
                            0,
                            normal_rows(source, columns, gain)});
    }

    static row_writer normal_rows(const std::string & seed, int64_t columns, float gain) {
        std::mt19937                    random(static_cast<uint32_t>(std::hash<std::string>{}(seed)));
        std::normal_distribution<float> normal(0.0f, gain / std::sqrt(static_cast<float>(columns)));
        return [random, normal, columns](int64_t, float * values) mutable {
            std::generate(values, values + columns, [&] { return normal(random); });
        };
    }

    // The layers to which Q4_K_M gives more bits.
    bool gets_more_bits(uint32_t layer) const {
        const uint32_t eighth = size_.layers / 8;
        return layer < eighth || layer >= 7 * eighth || (layer - eighth) % 3 == 2;
    }
    ggml_type generous(uint32_t layer) const { return gets_more_bits(layer) ? GGML_TYPE_Q6_K : GGML_TYPE_Q4_K; }

    void table(const std::string & name, ggml_type type) {
        std::mt19937                    random(static_cast<uint32_t>(std::hash<std::string>{}(name)));
        std::normal_distribution<float> normal(0.0f, 1.0f);
        const int64_t                   width = size_.width;
        // Twice as many, as the second part is of tokens that are not used.
        tensors_.push_back({name,
                            all_q8_ ? GGML_TYPE_Q8_0 : type,
                            {width, VOCABULARY},
                            name,
                            2 * DRAWN_ROWS,
                            0,
                            [this, random, normal, width](int64_t row, float * values) mutable {
                                for (int64_t i = 0; i < width; ++i) {
                                    const float scale = reads(i) ? READ_HALF : 1.0f;
                                    values[i]         = normal(random) * (row < DRAWN_ROWS ? scale : scale * UNUSED);
                                }
                            }});
    }

    void embeddings() {
        table("token_embd.weight", size_.tied ? GGML_TYPE_Q6_K : GGML_TYPE_Q4_K);
        if (!size_.tied) {
            table("output.weight", GGML_TYPE_Q6_K);
        }
    }

    void attention(uint32_t layer) {
        const std::string at = block(layer);
        const int64_t     kv = static_cast<int64_t>(size_.kv_heads) * HEAD_WIDTH;
        const int64_t     q  = static_cast<int64_t>(size_.heads) * HEAD_WIDTH;
        matrix(at + "attn_q.weight", GGML_TYPE_Q4_K, size_.width, 2 * q);
        matrix(at + "attn_k.weight", GGML_TYPE_Q4_K, size_.width, kv);
        matrix(at + "attn_v.weight", generous(layer), size_.width, kv);
        matrix(at + "attn_output.weight", GGML_TYPE_Q4_K, q, size_.width, LAYER_GAIN);
        norm(at + "attn_q_norm.weight", HEAD_WIDTH);
        norm(at + "attn_k_norm.weight", HEAD_WIDTH);
    }

    void recurrent(uint32_t layer) {
        const std::string at     = block(layer);
        const int64_t     values = static_cast<int64_t>(size_.value_heads) * STATE_WIDTH;
        const int64_t     mixed  = 2 * static_cast<int64_t>(KEY_HEADS) * STATE_WIDTH + values;
        matrix(at + "attn_qkv.weight", GGML_TYPE_Q5_K, size_.width, mixed);
        matrix(at + "attn_gate.weight", GGML_TYPE_Q4_K, size_.width, values);
        matrix(at + "ssm_out.weight", GGML_TYPE_Q4_K, values, size_.width, LAYER_GAIN);
        matrix(at + "ssm_alpha.weight", GGML_TYPE_Q4_K, size_.width, size_.value_heads);
        matrix(at + "ssm_beta.weight", GGML_TYPE_Q4_K, size_.width, size_.value_heads);
        norm(at + "ssm_norm.weight", STATE_WIDTH);
        vector(
            at + "ssm_a", [](int64_t i) { return -0.05f * static_cast<float>(1 + i % 16); }, size_.value_heads);
        vector(
            at + "ssm_dt.bias", [](int64_t) { return 0.1f; }, size_.value_heads);
        tensors_.push_back(
            {at + "ssm_conv1d.weight", GGML_TYPE_F32, {CONV, mixed}, at + "conv", 1, 0, [](int64_t, float * row) {
                 std::fill(row, row + CONV, 0.5f);
             }});
    }

    void feed_forward(uint32_t layer) {
        const std::string at = block(layer);
        matrix(at + "ffn_gate.weight", GGML_TYPE_Q4_K, size_.width, size_.feed_forward);
        matrix(at + "ffn_up.weight", GGML_TYPE_Q4_K, size_.width, size_.feed_forward);
        matrix(at + "ffn_down.weight", generous(layer), size_.feed_forward, size_.width, LAYER_GAIN);
    }

    // Chooses the next token; equal in the trunk's last layer and the MTP block.
    void deciding_feed_forward(uint32_t layer) {
        const std::string at = block(layer);
        same_matrix(at + "ffn_gate.weight", "gate", GGML_TYPE_Q4_K, size_.width, size_.feed_forward, 1.0f);
        same_matrix(at + "ffn_up.weight", "up", GGML_TYPE_Q4_K, size_.width, size_.feed_forward, 1.0f);
        same_matrix(at + "ffn_down.weight", "down", GGML_TYPE_Q6_K, size_.feed_forward, size_.width, LAST_GAIN);
    }

    void mtp_block() {
        const uint32_t    layer = size_.layers;
        const std::string at    = block(layer);
        const int64_t     width = size_.width;
        for (const char * name :
             {"attn_norm.weight", "post_attention_norm.weight", "nextn.enorm.weight", "nextn.hnorm.weight"}) {
            norm(at + name, width);
        }
        vector(at + "nextn.shared_head_norm.weight", [this](int64_t i) { return reads(i) ? 1.0f : 0.0f; });
        attention(layer);
        deciding_feed_forward(layer);
        // Hands on the token's embedding and drops the hidden state.
        tensors_.push_back({at + "nextn.eh_proj.weight",
                            all_q8_ ? GGML_TYPE_Q8_0 : GGML_TYPE_Q4_K,
                            {2 * width, width},
                            at + "eh_proj",
                            width,
                            0,
                            [width](int64_t row, float * values) {
                                std::fill(values, values + 2 * width, 0.0f);
                                values[row] = 1.0f;
                            }});
    }

    dimensions           size_;
    bool                 all_q8_;
    std::vector<weights> tensors_;
};

} // namespace inkling_test

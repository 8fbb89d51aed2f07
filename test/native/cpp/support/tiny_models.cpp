#include "tiny_models.h"

#include "check.h"
#include "gguf_builder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <stdexcept>

namespace inkling_test {

namespace {

constexpr uint32_t WIDTH       = 256; // of the embedding; rows of K-quants have 256 weights
constexpr uint32_t LAYERS      = 4;
constexpr uint32_t HEADS       = 4;
constexpr uint32_t KV_HEADS    = 2;
constexpr uint32_t HEAD_WIDTH  = 64;
constexpr uint32_t FF_WIDTH    = 256;
constexpr uint32_t EXPERTS     = 4;
constexpr uint32_t EXPERT_FF   = 128;
constexpr uint32_t STATE_WIDTH = 64;
constexpr uint32_t CONV        = 4;
constexpr uint32_t WINDOW      = 48; // tokens, so that most texts of the tests are longer
// Mamba-2: one value head of 64 for each 64 of the inner width.
constexpr uint32_t INNER_WIDTH = 2 * WIDTH;
constexpr uint32_t SSM_HEADS   = 8;
constexpr uint32_t SSM_GROUPS  = 2;
// What a layer adds to the stream, whose values have deviation 1. It is large enough that the whole context counts. It
// is small enough that the next token depends most on the last one, so that the drafts of an MTP head are sometimes
// right.
constexpr float    LAYER_GAIN  = 0.35f;

using shape = std::vector<int64_t>;

class tiny_builder {
  public:
    // `feature` is what stands after the plus in the model's name.
    tiny_builder(const std::string & architecture, const std::string & feature, const std::string & weights,
                 const std::string & tokenizer_from)
        : architecture_(architecture),
          mtp_(feature == "mtp"),
          window_(feature == "window"),
          file_(architecture, tokenizer_from) {
        file_.set_weight_type(weights);
    }

    void write(const std::filesystem::path & path) {
        common();
        if (architecture_ == "qwen2") {
            qwen2();
        } else if (architecture_ == "qwen35moe" || architecture_ == "qwen3next") {
            delta_net();
        } else if (architecture_ == "granitehybrid") {
            granite_hybrid();
        } else if (architecture_ == "mamba2") {
            mamba2();
        } else if (architecture_ == "falcon-h1") {
            falcon_h1();
        } else if (architecture_ == "lfm2") {
            lfm2();
        } else {
            throw std::runtime_error("There is no tiny model of the architecture " + architecture_);
        }
        file_.write(path);
    }

  private:
    void matrix(const std::string & name, int64_t columns, int64_t rows, float gain = 1.0f) {
        file_.add(name + ".weight", {columns, rows}, filling::matrix, gain);
    }

    void norm(const std::string & name, const shape & of = {WIDTH}) { file_.add(name + ".weight", of, filling::norm); }

    static std::string block(uint32_t layer) { return "blk." + std::to_string(layer) + "."; }

    void common() {
        file_.set("block_count", LAYERS + (mtp_ ? 1u : 0u));
        file_.set("context_length", 2048u);
        file_.set("embedding_length", WIDTH);
        file_.set("attention.layer_norm_rms_epsilon", 1e-6f);
        file_.add("token_embd.weight", {WIDTH, file_.vocabulary_size()}, filling::table);

        // Only these few tokens are likely. Otherwise a token could return only where the context repeats.
        constexpr int64_t SPACING = 256;
        auto              values  = file_.random_values("output.weight", WIDTH * file_.vocabulary_size(), 0.05f);
        for (int64_t token = 0; token < file_.vocabulary_size(); ++token) {
            if (token % SPACING == 3 || token == file_.end_token()) {
                const auto row = values.begin() + token * WIDTH;
                std::for_each(row, row + WIDTH, [](float & value) { value *= 4.0f; });
            }
        }
        file_.add_values("output.weight", {WIDTH, file_.vocabulary_size()}, std::move(values));
        norm(architecture_ == "lfm2" ? "token_embd_norm" : "output_norm");
    }

    void heads(const std::vector<int32_t> & kv_per_layer = {}) {
        file_.set("attention.head_count", HEADS);
        if (kv_per_layer.empty()) {
            file_.set("attention.head_count_kv", KV_HEADS);
        } else {
            file_.set("attention.head_count_kv", kv_per_layer);
        }
    }

    // gated: the query projection also computes the output's gate.
    void attention(uint32_t layer, bool gated, bool normed, bool biased) {
        const std::string at = block(layer);
        matrix(at + "attn_q", WIDTH, HEADS * HEAD_WIDTH * (gated ? 2 : 1));
        matrix(at + "attn_k", WIDTH, KV_HEADS * HEAD_WIDTH);
        matrix(at + "attn_v", WIDTH, KV_HEADS * HEAD_WIDTH);
        matrix(at + "attn_output", HEADS * HEAD_WIDTH, WIDTH, LAYER_GAIN);
        if (normed) {
            norm(at + "attn_q_norm", {HEAD_WIDTH});
            norm(at + "attn_k_norm", {HEAD_WIDTH});
        }
        if (biased) {
            file_.add(at + "attn_q.bias", {HEADS * HEAD_WIDTH}, filling::kernel, 0.1f);
            file_.add(at + "attn_k.bias", {KV_HEADS * HEAD_WIDTH}, filling::kernel, 0.1f);
            file_.add(at + "attn_v.bias", {KV_HEADS * HEAD_WIDTH}, filling::kernel, 0.1f);
        }
    }

    void dense(uint32_t layer) {
        const std::string at = block(layer);
        matrix(at + "ffn_gate", WIDTH, FF_WIDTH);
        matrix(at + "ffn_up", WIDTH, FF_WIDTH);
        matrix(at + "ffn_down", FF_WIDTH, WIDTH, 2.0f * LAYER_GAIN);
    }

    void experts(uint32_t layer) {
        const std::string at = block(layer);
        file_.add(at + "ffn_gate_inp.weight", {WIDTH, EXPERTS}, filling::router);
        file_.add(at + "ffn_gate_exps.weight", {WIDTH, EXPERT_FF, EXPERTS}, filling::matrix);
        file_.add(at + "ffn_up_exps.weight", {WIDTH, EXPERT_FF, EXPERTS}, filling::matrix);
        file_.add(at + "ffn_down_exps.weight", {EXPERT_FF, WIDTH, EXPERTS}, filling::matrix, 2.0f * LAYER_GAIN);
        matrix(at + "ffn_gate_shexp", WIDTH, EXPERT_FF);
        matrix(at + "ffn_up_shexp", WIDTH, EXPERT_FF);
        matrix(at + "ffn_down_shexp", EXPERT_FF, WIDTH, LAYER_GAIN);
    }

    void expert_facts() {
        file_.set("expert_count", EXPERTS);
        file_.set("expert_used_count", 2u);
        file_.set("expert_shared_feed_forward_length", EXPERT_FF);
    }

    void ssm_facts(uint32_t groups) {
        file_.set("ssm.conv_kernel", CONV);
        file_.set("ssm.state_size", STATE_WIDTH);
        file_.set("ssm.group_count", groups);
        file_.set("ssm.time_step_rank", SSM_HEADS);
        file_.set("ssm.inner_size", INNER_WIDTH);
    }

    void mamba(uint32_t layer) {
        const std::string at    = block(layer);
        const int64_t     mixed = INNER_WIDTH + 2 * SSM_GROUPS * STATE_WIDTH;
        matrix(at + "ssm_in", WIDTH, INNER_WIDTH + mixed + SSM_HEADS);
        file_.add(at + "ssm_conv1d.weight", {CONV, mixed}, filling::kernel, 0.5f);
        file_.add(at + "ssm_conv1d.bias", {mixed}, filling::kernel, 0.1f);
        file_.add(at + "ssm_dt.bias", {SSM_HEADS}, filling::kernel, 0.5f);
        file_.add(at + "ssm_a", {1, SSM_HEADS}, filling::decay);
        file_.add(at + "ssm_d", {1, SSM_HEADS}, filling::constant, 1.0f);
        norm(at + "ssm_norm", {INNER_WIDTH / SSM_GROUPS, SSM_GROUPS});
        matrix(at + "ssm_out", INNER_WIDTH, WIDTH, LAYER_GAIN);
    }

    void qwen2() {
        heads();
        file_.set("feed_forward_length", FF_WIDTH);
        for (uint32_t layer = 0; layer < LAYERS; ++layer) {
            norm(block(layer) + "attn_norm");
            norm(block(layer) + "ffn_norm");
            attention(layer, false, false, true);
            dense(layer);
        }
    }

    void delta_net() {
        constexpr uint32_t KEY_HEADS = 4;
        const bool         joint     = architecture_ == "qwen3next"; // beta and alpha in one matrix
        heads();
        expert_facts();
        ssm_facts(KEY_HEADS);
        file_.set("attention.key_length", HEAD_WIDTH);
        file_.set("attention.value_length", HEAD_WIDTH);
        file_.set("rope.dimension_count", HEAD_WIDTH / 2);
        file_.set("rope.dimension_sections", std::vector<int32_t>{6, 5, 5, 0});
        file_.set("expert_feed_forward_length", EXPERT_FF);
        file_.set("feed_forward_length", FF_WIDTH);
        file_.set("full_attention_interval", 2u);
        if (mtp_) {
            file_.set("nextn_predict_layers", 1u);
        }
        for (uint32_t layer = 0; layer < LAYERS + (mtp_ ? 1 : 0); ++layer) {
            const std::string at = block(layer);
            norm(at + "attn_norm");
            norm(at + "post_attention_norm");
            if (layer == LAYERS || layer % 2 == 1) {
                attention(layer, true, true, false);
            } else {
                const int64_t mixed = 2 * KEY_HEADS * STATE_WIDTH + INNER_WIDTH;
                matrix(at + "attn_qkv", WIDTH, mixed);
                matrix(at + "attn_gate", WIDTH, INNER_WIDTH);
                file_.add(at + "ssm_conv1d.weight", {CONV, mixed}, filling::kernel, 0.5f);
                file_.add(at + "ssm_dt.bias", {SSM_HEADS}, filling::kernel, 0.5f);
                file_.add(at + "ssm_a", {SSM_HEADS}, filling::decay);
                if (joint) {
                    matrix(at + "ssm_ba", WIDTH, 2 * SSM_HEADS);
                } else {
                    matrix(at + "ssm_beta", WIDTH, SSM_HEADS);
                    matrix(at + "ssm_alpha", WIDTH, SSM_HEADS);
                }
                norm(at + "ssm_norm", {STATE_WIDTH});
                matrix(at + "ssm_out", INNER_WIDTH, WIDTH, LAYER_GAIN);
            }
            experts(layer);
            file_.add(at + "ffn_gate_inp_shexp.weight", {WIDTH}, filling::kernel, 0.05f);
        }
        if (mtp_) {
            const std::string at = block(LAYERS);
            norm(at + "nextn.enorm");
            norm(at + "nextn.hnorm");
            // Passes the token on and adds a little of the hidden state, so that the head predicts like the trunk.
            auto values = file_.random_values(at + "nextn.eh_proj.weight", 2 * WIDTH * WIDTH, 0.01f);
            for (size_t row = 0; row < WIDTH; ++row) {
                values[row * 2 * WIDTH + row] += 1.0f;
            }
            file_.add_values(at + "nextn.eh_proj.weight", {2 * WIDTH, WIDTH}, std::move(values));
        }
    }

    void granite_hybrid() {
        heads({0, KV_HEADS, 0, KV_HEADS});
        expert_facts();
        ssm_facts(SSM_GROUPS);
        file_.set("feed_forward_length", EXPERT_FF);
        file_.set("attention.key_length", HEAD_WIDTH);
        file_.set("attention.value_length", HEAD_WIDTH);
        for (uint32_t layer = 0; layer < LAYERS; ++layer) {
            norm(block(layer) + "attn_norm");
            norm(block(layer) + "ffn_norm");
            layer % 2 == 1 ? attention(layer, false, false, false) : mamba(layer);
            experts(layer);
        }
    }

    void mamba2() {
        file_.set("attention.head_count", 0u);
        file_.set("feed_forward_length", 0u);
        ssm_facts(SSM_GROUPS);
        for (uint32_t layer = 0; layer < LAYERS; ++layer) {
            norm(block(layer) + "attn_norm");
            mamba(layer);
        }
    }

    void falcon_h1() {
        heads();
        ssm_facts(SSM_GROUPS);
        file_.set("feed_forward_length", FF_WIDTH);
        file_.set("attention.key_length", HEAD_WIDTH);
        file_.set("attention.value_length", HEAD_WIDTH);
        for (uint32_t layer = 0; layer < LAYERS; ++layer) {
            norm(block(layer) + "attn_norm");
            // No ".weight", as in the files of this architecture.
            file_.add(block(layer) + "ffn_norm", {WIDTH}, filling::norm);
            attention(layer, false, false, false);
            mamba(layer);
            dense(layer);
        }
    }

    void lfm2() {
        heads({0, KV_HEADS, 0, KV_HEADS});
        file_.set("feed_forward_length", FF_WIDTH);
        file_.set("shortconv.l_cache", 3u);
        if (window_) {
            file_.set("attention.sliding_window", WINDOW);
        }
        for (uint32_t layer = 0; layer < LAYERS; ++layer) {
            const std::string at = block(layer);
            norm(at + "attn_norm");
            norm(at + "ffn_norm");
            if (layer % 2 == 1) {
                attention(layer, false, true, false);
            } else {
                file_.add(at + "shortconv.conv.weight", {3, WIDTH}, filling::kernel, 0.6f);
                matrix(at + "shortconv.in_proj", WIDTH, 3 * WIDTH);
                matrix(at + "shortconv.out_proj", WIDTH, WIDTH, LAYER_GAIN);
            }
            dense(layer);
        }
    }

    std::string  architecture_;
    bool         mtp_;
    bool         window_;
    gguf_builder file_;
};

// The digests of the starter model and of the sources identify a version of the models.
std::filesystem::path tiny_model_folder() {
    const char * asked = std::getenv("INKLING_TINY_MODELS");
    return std::filesystem::path(asked != nullptr ? asked : INKLING_TINY_MODELS) / INKLING_TINY_MODEL_VERSION;
}

std::filesystem::path ensure_tiny_model(const std::string & architecture, const std::string & weights,
                                        const std::string & tokenizer_from) {
    const auto file = tiny_model_folder() / (architecture + "-" + weights + ".gguf");
    if (!std::filesystem::exists(file)) {
        std::filesystem::create_directories(file.parent_path());
        // The rename makes every existing file complete, even if two programs make it at the same time.
        const auto unfinished = file.string() + "." + std::to_string(std::random_device()());
        write_tiny_model(architecture, weights, tokenizer_from, unfinished);
        std::filesystem::rename(unfinished, file);
    }
    return file;
}

std::map<std::string, std::shared_ptr<const inkling::model>> & made() {
    static std::map<std::string, std::shared_ptr<const inkling::model>> models;
    return models;
}

} // namespace

const std::vector<std::string> & tiny_architectures() {
    static const std::vector<std::string> names = {"qwen2",  "qwen35moe+mtp", "qwen3next+mtp", "granitehybrid",
                                                   "mamba2", "falcon-h1",     "lfm2+window",   "lfm2"};
    return names;
}

void write_tiny_model(const std::string & architecture, const std::string & weights, const std::string & tokenizer_from,
                      const std::filesystem::path & output) {
    const size_t plus = architecture.find('+');
    tiny_builder(architecture.substr(0, plus), plus == std::string::npos ? "" : architecture.substr(plus + 1), weights,
                 tokenizer_from)
        .write(output);
}

std::shared_ptr<const inkling::model> tiny_model(const std::string & architecture, const std::string & weights) {
    auto & model = made()[architecture + " " + weights];
    if (model == nullptr) {
        inkling::model_load_params params;
        params.path = tiny_model_file(architecture, weights).string();
        model       = inkling::model::load(params);
    }
    return model;
}

std::filesystem::path tiny_model_file(const std::string & architecture, const std::string & weights) {
    return ensure_tiny_model(architecture, weights, model_path());
}

void write_tiny_models(const std::string & tokenizer_from) {
    for (const std::string & architecture : tiny_architectures()) {
        for (const char * weights : {"q4_K", "f32"}) {
            ensure_tiny_model(architecture, weights, tokenizer_from);
        }
    }
    const auto current = tiny_model_folder();
    for (const auto & entry : std::filesystem::directory_iterator(current.parent_path())) {
        if (entry.path() != current) {
            std::filesystem::remove_all(entry.path());
        }
    }
}

void release_tiny_models() {
    made().clear();
}

} // namespace inkling_test

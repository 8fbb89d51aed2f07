// 16-kept-graphs.patch: batches of few tokens find their graph again, and compute what a new graph would.
#include "check.h"
#include "gguf_builder.h"
#include "tiny_models.h"

#include "engine/llama/model.h"

#include "llama-ext.h"
#include "llama.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

using namespace inkling;

namespace {

constexpr int32_t LENGTH    = 1024;
constexpr int32_t SNAPSHOTS = 7;

struct context_deleter {
    void operator()(llama_context * handle) const { llama_free(handle); }
};

// One sequence, as engine/llama/context.cpp sets it up.
class raw_context {
  public:
    explicit raw_context(const model & on) : width_(static_cast<size_t>(on.facts().vocabulary_size)) {
        llama_context_params params = llama_context_default_params();
        params.n_ctx                = LENGTH;
        params.n_batch              = 64;
        params.n_ubatch             = 64;
        params.n_rs_seq             = SNAPSHOTS;
        params.n_outputs_max        = 16;
        params.n_threads            = 1;
        params.n_threads_batch      = 1;
        params.no_perf              = true;
        params.kv_unified           = true;
        handle_.reset(llama_init_from_model(on.handle(), params));
        CHECK(handle_ != nullptr);
    }

    // The logits of the last token.
    std::vector<float> decode(int32_t count, bool all_rows = true) {
        llama_batch batch = llama_batch_init(count, 0, 1);
        batch.n_tokens    = count;
        for (int32_t i = 0; i < count; ++i) {
            batch.token[i]     = 300 + (position_ + i) * 37 % 5000;
            batch.pos[i]       = position_ + i;
            batch.n_seq_id[i]  = 1;
            batch.seq_id[i][0] = 0;
            batch.logits[i]    = all_rows || i + 1 == count ? 1 : 0;
        }
        CHECK_EQUAL(llama_decode(handle_.get(), batch), 0);
        llama_batch_free(batch);
        position_ += count;
        const float * logits = llama_get_logits_ith(handle_.get(), -1);
        return {logits, logits + width_};
    }

    void take_back(int32_t count) {
        position_ -= count;
        CHECK(llama_memory_seq_rm(llama_get_memory(handle_.get()), 0, position_, -1));
    }

    void clear() {
        position_ = 0;
        llama_memory_clear(llama_get_memory(handle_.get()), /*data =*/false);
    }

    void show_hidden(bool shown) { llama_set_embeddings_nextn(handle_.get(), shown, /*masked =*/false); }

    int32_t reused() const { return llama_perf_context(handle_.get()).n_reused; }

    size_t compute_bytes() const {
        size_t bytes = 0;
        for (const auto & [type, held] : llama_get_memory_breakdown(handle_.get())) {
            bytes += held.compute;
        }
        return bytes;
    }

  private:
    size_t                                          width_;
    int32_t                                         position_ = 0;
    std::unique_ptr<llama_context, context_deleter> handle_;
};

void set_reuse(bool on) {
    const char * const disabled = on ? "0" : "1";
#if defined(_WIN32)
    _putenv_s("LLAMA_GRAPH_REUSE_DISABLE", disabled);
#else
    setenv("LLAMA_GRAPH_REUSE_DISABLE", disabled, /*overwrite =*/1);
#endif
}

// llama.cpp looks at the variable when it makes a context.
std::unique_ptr<raw_context> without_reuse(const model & on) {
    set_reuse(false);
    auto made = std::make_unique<raw_context>(on);
    set_reuse(true);
    return made;
}

// A model that goes through its two layers again and again, so that its graph is large for the number of its weights.
std::shared_ptr<const model> looped_model() {
    constexpr int64_t          WIDTH  = 32;
    constexpr uint32_t         CYCLES = 8;
    constexpr uint32_t         LOWER  = 7;
    const auto                 path   = std::filesystem::temp_directory_path() / "looped.gguf";
    inkling_test::gguf_builder file("hrm_text", inkling_test::model_path());
    file.set("block_count", CYCLES * (LOWER + 1));
    file.set("context_length", uint32_t{2048});
    file.set("embedding_length", uint32_t{WIDTH});
    file.set("feed_forward_length", uint32_t{WIDTH});
    file.set("attention.head_count", uint32_t{1});
    file.set("attention.layer_norm_rms_epsilon", 1e-6f);
    file.set("hrm.layers_per_stack", uint32_t{1});
    file.set("hrm.h_cycles", CYCLES);
    file.set("hrm.l_cycles", LOWER);
    file.add("token_embd.weight", {WIDTH, file.vocabulary_size()}, inkling_test::filling::table);
    file.add("hrm.z_l_init", {WIDTH}, inkling_test::filling::kernel);
    for (const char * block : {"blk.0.", "blk.1."}) {
        for (const char * name :
             {"attn_q", "attn_k", "attn_v", "attn_gate", "attn_output", "ffn_gate", "ffn_down", "ffn_up"}) {
            file.add(std::string(block) + name + ".weight", {WIDTH, WIDTH}, inkling_test::filling::matrix);
        }
    }
    file.write(path);
    model_load_params params;
    params.path        = path.string();
    params.require_fim = false;
    auto loaded        = model::load(params);
    std::filesystem::remove(path);
    return loaded;
}

} // namespace

TEST("a graph has room for a model with far more operations than weights") {
    const auto  loaded = looped_model();
    raw_context kept(*loaded);
    const auto  fresh = without_reuse(*loaded);
    for (const int32_t count : {40, 1, 8, 1, 8}) {
        CHECK(kept.decode(count, /*all_rows =*/count < 16) == fresh->decode(count, /*all_rows =*/count < 16));
    }
    CHECK(kept.reused() > 0);
}

TEST("batches of changing length find their graphs again") {
    raw_context   on(*inkling_test::tiny_model("qwen35moe+mtp"));
    const int32_t lengths[] = {1, 2, 3, 5, 8};
    on.decode(40, /*all_rows =*/false);
    for (const int32_t length : lengths) {
        on.decode(length);
    }
    for (int32_t turn = 0; turn < 4; ++turn) {
        for (const int32_t length : lengths) {
            const int32_t before = on.reused();
            on.decode(length);
            CHECK_EQUAL(on.reused(), before + 1);
        }
    }
}

TEST("a graph that was kept computes what a new one does") {
    for (const std::string & name : inkling_test::tiny_architectures()) {
        const auto  loaded = inkling_test::tiny_model(name);
        raw_context kept(*loaded);
        const auto  fresh = without_reuse(*loaded);
        const auto  same  = [&](int32_t count, bool all_rows = true) {
            const std::vector<float> one   = kept.decode(count, all_rows);
            const std::vector<float> other = fresh->decode(count, all_rows);
            CHECK(std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0);
        };
        for (int32_t turn = 0; turn < 3; ++turn) {
            same(33, /*all_rows =*/false);
            // Over the end of the first 256 cells, from where on attention sees more of them. More lengths than graphs.
            for (int32_t round = 0; round < 60; ++round) {
                same(1 + round * 5 % 8, round % 4 != 0);
            }
            for (raw_context * each : {&kept, fresh.get()}) {
                each->show_hidden(turn % 2 == 0 && loaded->facts().mtp_loaded);
                each->clear();
            }
        }
        CHECK_EQUAL(fresh->reused(), 0);
    }
}

TEST("a graph that was kept goes on from where rejected drafts were taken back") {
    for (const std::string name : {"qwen2", "qwen35moe+mtp", "lfm2"}) {
        const auto  loaded = inkling_test::tiny_model(name);
        raw_context kept(*loaded);
        const auto  fresh = without_reuse(*loaded);
        for (raw_context * each : {&kept, fresh.get()}) {
            each->decode(20, /*all_rows =*/false);
        }
        for (int32_t round = 0; round < 40; ++round) {
            const int32_t            count = 1 + round * 3 % 8;
            const std::vector<float> one   = kept.decode(count);
            const std::vector<float> other = fresh->decode(count);
            CHECK(std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0);
            if (count > 1) {
                kept.take_back(round % count);
                fresh->take_back(round % count);
            }
        }
    }
}

TEST("what kept graphs take is reported") {
    raw_context  on(*inkling_test::tiny_model("qwen35moe+mtp"));
    const size_t before = on.compute_bytes();
    on.decode(1);
    const size_t one = on.compute_bytes();
    CHECK(one > before);
    on.decode(2);
    const size_t two = on.compute_bytes();
    CHECK(two > one);
    for (int32_t turn = 0; turn < 3; ++turn) {
        on.decode(1);
        on.decode(2);
    }
    CHECK_EQUAL(on.compute_bytes(), two);
}

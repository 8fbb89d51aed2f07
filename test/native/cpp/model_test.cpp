#include "check.h"
#include "gguf_builder.h"

#include "engine/memory/memory_estimate.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

using inkling::model;
using inkling_test::error_code_of;
using inkling_test::starter_model;

TEST("the starter model's facts equal those of its card") {
    const inkling::model_facts & facts = starter_model()->facts();
    CHECK_EQUAL(facts.architecture, "qwen35");
    CHECK_EQUAL(facts.layer_count, 12);
    CHECK_EQUAL(facts.mtp_layer_count, 1);
    CHECK_EQUAL(facts.embedding_length, 512);
    CHECK_EQUAL(facts.vocabulary_size, 16384);
    CHECK_EQUAL(facts.training_context_length, 8192);
    CHECK(facts.recurrent);
    CHECK(facts.fim.has_value());
    CHECK(facts.fim && facts.fim->file_sep != inkling::no_token);
    CHECK_EQUAL(facts.file_bytes, 35'884'928u);
}

TEST("tokenization keeps any text") {
    for (const std::string text : {"", " ", "\n\n\t", "const a = 1;\r\n", "h\xC3\xA9llo \xF0\x9F\x98\x80", "  x\n    y",
                                   "<|fim_prefix|>", "<|endoftext|>"}) {
        const auto tokens = starter_model()->tokenize(text, false);
        CHECK_EQUAL(starter_model()->detokenize(tokens, true), text);
    }
}

TEST("text that spells a special token stays text by default") {
    const auto fim     = *starter_model()->facts().fim;
    const auto as_text = starter_model()->tokenize("<|fim_middle|>", false);
    CHECK(as_text.size() > 1);
    for (const auto token : as_text) {
        CHECK(token != fim.middle);
    }
    const auto as_special = starter_model()->tokenize("<|fim_middle|>", true);
    CHECK_EQUAL(as_special.size(), 1u);
    CHECK(!as_special.empty() && as_special[0] == fim.middle);
    CHECK_EQUAL(starter_model()->detokenize(as_special, false), "");
}

TEST("every FIM token ends a generation") {
    const auto fim = *starter_model()->facts().fim;
    for (const auto token : {fim.pad, fim.repo, fim.file_sep}) {
        CHECK(starter_model()->is_end(token));
    }
}

TEST("a file that breaks what llama.cpp asserts fails to load, and so does the estimate") {
    const auto path = (std::filesystem::temp_directory_path() / "inkling-assertions.gguf").string();
    // The number of blocks, and of those that draft.
    for (const auto & [blocks, drafting] : {std::pair{0u, 0u}, {600u, 0u}, {2u, 3u}}) {
        inkling_test::gguf_builder file("qwen2", inkling_test::model_path());
        file.set("context_length", 512u);
        file.set("embedding_length", 64u);
        file.set("block_count", blocks);
        file.set("nextn_predict_layers", drafting);
        file.write(path);
        inkling::load_request request;
        request.model.path = path;
        CHECK_EQUAL(error_code_of([&] { model::load(request.model); }), "loadFailed");
        CHECK_EQUAL(error_code_of([&] { inkling::estimate_memory(request); }), "loadFailed");
    }
    std::filesystem::remove(path);
}

TEST("a model that cannot rotate as it must is refused before it computes") {
    std::ifstream file(inkling_test::model_path(), std::ios::binary);
    std::string   bytes{std::istreambuf_iterator<char>(file), {}};
    const auto    path      = (std::filesystem::temp_directory_path() / "inkling-rotation.gguf").string();
    // `values` instead of those of the key, which stand `behind` bytes after its name.
    const auto    code_with = [&](const std::string & key, size_t behind, const std::vector<int32_t> & values) {
        const size_t at = bytes.find(key);
        CHECK(at != std::string::npos);
        std::string changed = bytes;
        std::memcpy(changed.data() + at + key.size() + behind, values.data(), values.size() * sizeof(int32_t));
        std::ofstream(path, std::ios::binary) << changed;
        inkling::model_load_params params;
        params.path = path;
        return error_code_of([&] { model::load(params); });
    };
    // A type, and before the values of an array also their type and number.
    const auto with_dimensions = [&](int32_t count) {
        return code_with("qwen35.rope.dimension_count", 4, {count});
    };
    const auto with_sections = [&](const std::vector<int32_t> & sections) {
        return code_with("qwen35.rope.dimension_sections", 4 + 4 + 8, sections);
    };
    CHECK_EQUAL(with_dimensions(32), "nothing");
    CHECK_EQUAL(with_dimensions(0), "truncatedFile");
    CHECK_EQUAL(with_sections({6, 5, 5, 0}), "nothing");
    CHECK_EQUAL(with_sections({0, 0, 0, 0}), "truncatedFile");
    CHECK_EQUAL(with_sections({0, 0, 0, 16}), "truncatedFile");
    CHECK_EQUAL(with_sections({1, -1, 0, 0}), "truncatedFile");
    CHECK_EQUAL(with_sections({65, 0, 0, 0}), "truncatedFile");
    CHECK_EQUAL(with_sections({INT32_MAX, INT32_MAX, 5, 0}), "truncatedFile");
    std::filesystem::remove(path);
}

TEST("progress rises to 1 and can cancel the load") {
    inkling::model_load_params params;
    params.path        = inkling_test::model_path();
    float last         = -1.0f;
    params.on_progress = [&](float fraction) {
        CHECK(fraction >= last);
        last = fraction;
        return true;
    };
    model::load(params);
    CHECK_EQUAL(last, 1.0f);

    params.on_progress = [](float) {
        return false;
    };
    CHECK_EQUAL(error_code_of([&] { model::load(params); }), "loadCancelled");
}

#include "check.h"
#include "gguf_builder.h"

#include "engine/memory/memory_estimate.h"

#include <filesystem>
#include <utility>

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

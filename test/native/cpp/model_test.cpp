#include "check.h"

#include <atomic>

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

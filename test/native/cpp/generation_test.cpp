#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include "engine/base/error.h"
#include "engine/text/text_stream.h"

#include "gguf.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <set>

using namespace inkling;
using inkling_test::error_code_of;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::starter_model;

namespace {

slot & shared_slot() {
    static auto on = make_slot(512, 64);
    return *on;
}

generation_result run(const generation_request & request, const abort_flag & abort = {}) {
    return run_on(shared_slot(), request, abort);
}

const std::string PREFIX = "export function sum(a: number, b: number): number {\n  return ";
const std::string SUFFIX = "\n}\n";

// A tiny model that computes a logit that is not a number.
std::shared_ptr<const model> broken_model() {
    const auto path = std::filesystem::temp_directory_path() / "inkling-not-numbers.gguf";
    std::filesystem::copy_file(inkling_test::tiny_model_file("qwen2", "q4_K"), path,
                               std::filesystem::copy_options::overwrite_existing);
    const std::unique_ptr<gguf_context, decltype(&gguf_free)> header(
        gguf_init_from_file(path.string().c_str(), {/*.no_alloc =*/true, /*.ctx =*/nullptr}), gguf_free);
    const size_t at = gguf_get_data_offset(header.get()) +
                      gguf_get_tensor_offset(header.get(), gguf_find_tensor(header.get(), "output.weight"));
    // The scale of the first block of Q8_0.
    const uint16_t not_a_number = 0x7E00;
    std::fstream   file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.write(reinterpret_cast<const char *>(&not_a_number), sizeof(not_a_number));
    file.close();
    model_load_params params;
    params.path       = path.string();
    const auto loaded = model::load(params);
    std::filesystem::remove(path);
    return loaded;
}

} // namespace

TEST("logits that are not numbers end the generation with an error, and nothing of it is kept") {
    inkling_test::slot_options options;
    options.model = broken_model();
    const auto on = make_slot(options);
    for (const float temperature : {0.0f, 0.7f}) {
        auto request                 = fim_request(PREFIX, SUFFIX, 8);
        request.sampling.temperature = temperature;
        CHECK_EQUAL(error_code_of([&] { generation_run(*on, request, {}, [](const std::string &) {}).execute(); }),
                    "decodeFailed");
        CHECK_EQUAL(on->seq().length(), 0);
    }
}

TEST("after an error of the engine nothing is kept, and the next answer is as on a fresh slot") {
    const auto request = fim_request(PREFIX, SUFFIX, 16);
    const auto on      = make_slot(512, 64);
    // It stands for a state that cannot be restored or rolled back, which no model file can bring about.
    const auto fail    = [](const std::string &) {
        throw engine_error(error_code::internal, "The state is in doubt");
    };
    CHECK_EQUAL(error_code_of([&] { generation_run(*on, request, {}, fail).execute(); }), "internal");
    CHECK_EQUAL(on->seq().length(), 0);
    CHECK(!on->last().known());
    CHECK_SAME_ANSWER(run_on(*on, request), run_on(*make_slot(512, 64), request));
}

TEST("a refused prompt costs nothing that is held") {
    const auto on = make_slot(512, 64);
    run_on(*on, fim_request(PREFIX, SUFFIX, 4));
    const int32_t held = on->seq().length();
    CHECK(held > 0);
    std::string long_prefix;
    for (int i = 0; i < 2000; ++i) {
        long_prefix += "word " + std::to_string(i) + "\n";
    }
    CHECK_EQUAL(error_code_of([&] { run_on(*on, fim_request(long_prefix, SUFFIX, 4)); }), "promptTooLong");
    CHECK_EQUAL(on->seq().length(), held);
}

TEST("greedy completion of a plain function uses its parameters and is repeatable") {
    const auto first  = run(fim_request(PREFIX, SUFFIX, 16));
    const auto second = run(fim_request(PREFIX, SUFFIX, 16));
    CHECK(first.text.find('a') != std::string::npos && first.text.find('b') != std::string::npos);
    CHECK_EQUAL(first.text, second.text);
    CHECK_EQUAL(first.metrics.generated_tokens, static_cast<int32_t>(first.tokens.size()));
    CHECK(first.metrics.prompt_tokens > 20);
    CHECK(first.metrics.prefill_ms > 0.0 && first.metrics.decode_ms > 0.0);
}

TEST("the chunk size of the prefill does not change the answer") {
    const auto expected = run(fim_request(PREFIX, SUFFIX, 24)).tokens;
    for (const int32_t batch_size : {7, 16, 512}) {
        const auto other = make_slot(512, batch_size);
        CHECK(run_on(*other, fim_request(PREFIX, SUFFIX, 24)).tokens == expected);
    }
}

TEST("each way to end has its own stop reason") {
    CHECK_EQUAL(to_string(run(fim_request(PREFIX, SUFFIX, 64)).reason), std::string("endOfText"));
    CHECK_EQUAL(to_string(run(fim_request(PREFIX, SUFFIX, 1)).reason), std::string("maxTokens"));

    auto stopped         = fim_request(PREFIX, SUFFIX, 64);
    stopped.stop         = {"b"};
    const auto with_stop = run(stopped);
    CHECK_EQUAL(to_string(with_stop.reason), std::string("stopText"));
    CHECK(with_stop.text.find('b') == std::string::npos);

    abort_flag abort;
    abort.set();
    CHECK_EQUAL(to_string(run(fim_request(PREFIX, SUFFIX, 64), abort).reason), std::string("aborted"));
}

TEST("a stop token ends the generation and is not shown") {
    const auto plain     = run(fim_request(PREFIX, SUFFIX, 16));
    auto       request   = fim_request(PREFIX, SUFFIX, 16);
    request.stop_tokens  = {plain.tokens.at(1)};
    const auto shortened = run(request);
    CHECK_EQUAL(shortened.tokens.size(), 1u);
    CHECK_EQUAL(to_string(shortened.reason), std::string("endOfText"));
}

TEST("a prompt may fill the context to the last token, and no further") {
    const auto         fim = *starter_model()->facts().fim;
    generation_request request;
    request.max_tokens = 8;
    for (int i = 0; i < 512; ++i) {
        request.prompt.emplace_back(fim.prefix);
    }
    const auto full = run(request);
    CHECK(full.metrics.generated_tokens <= 1);
    request.prompt.emplace_back(fim.prefix);
    CHECK_EQUAL(error_code_of([&] { run(request); }), "promptTooLong");
}

TEST("the engine refuses token ids outside the vocabulary and empty prompts") {
    generation_request request;
    request.max_tokens = 1;
    CHECK_EQUAL(error_code_of([&] { run(request); }), "invalidArgument");
    request.prompt = {token_id{16384}};
    CHECK_EQUAL(error_code_of([&] { run(request); }), "invalidArgument");
    request.prompt = {std::string()};
    CHECK_EQUAL(error_code_of([&] { run(request); }), "invalidArgument");
}

TEST("the sampled output varies with the seed and with nothing else") {
    std::set<std::string> outputs;
    for (uint32_t seed = 1; seed <= 8; ++seed) {
        auto request                 = fim_request("const values = [", "];\n", 24);
        request.sampling.temperature = 1.5f;
        request.sampling.seed        = seed;
        const auto first             = run(request);
        CHECK(first.tokens == run(request).tokens);
        outputs.insert(first.text);
    }
    CHECK(outputs.size() > 3);
}

TEST("top-k of one is greedy at any temperature") {
    auto       request           = fim_request(PREFIX, SUFFIX, 16);
    const auto greedy            = run(request);
    request.sampling.temperature = 2.0f;
    request.sampling.top_k       = 1;
    CHECK(run(request).tokens == greedy.tokens);
}

TEST("the runner-up is the next best token under the same constraint") {
    auto       request = fim_request(PREFIX, SUFFIX, 12, "retu");
    const auto plain   = run(request);
    request.runners_up = true;
    const auto result  = run(request);
    CHECK(result.tokens == plain.tokens);
    CHECK_EQUAL(result.runners_up.size(), result.tokens.size());
    for (size_t i = 0; i < result.tokens.size(); ++i) {
        CHECK(result.runners_up[i] != result.tokens[i]);
        CHECK(result.runner_up_log_probabilities[i] <= result.log_probabilities[i]);
    }
    CHECK(plain.runners_up.empty());
    // The slot has recorded the runners-up.
    const auto again = run(request);
    CHECK(again.metrics.replayed_tokens > 0);
    CHECK(again.runners_up == result.runners_up);
}

TEST("the pieces of an answer cover its text, and typed bytes count for none") {
    for (const char * typed : {"", "re", "return", "    return lef"}) {
        const auto request = fim_request(PREFIX, SUFFIX, 16, typed);
        for (int turn = 0; turn < 2; ++turn) {
            const auto result = run(request);
            int32_t    length = 0;
            CHECK_EQUAL(result.piece_lengths.size(), result.tokens.size());
            CHECK_EQUAL(result.given_typed_log_probabilities.size(), result.tokens.size());
            for (size_t i = 0; i < result.tokens.size(); ++i) {
                length += result.piece_lengths[i];
                CHECK(result.given_typed_log_probabilities[i] <= 0.0f);
                CHECK(result.given_typed_log_probabilities[i] >= result.log_probabilities[i] - 0.001f);
            }
            CHECK(length >= utf16_length(result.text));
        }
    }
}

TEST("a key makes a word that is replayed surer, as it rules out rivals") {
    const auto first    = run(fim_request(PREFIX, SUFFIX, 8, "r"));
    const auto replayed = run(fim_request(PREFIX, SUFFIX, 8, "re"));
    if (replayed.tokens.front() == first.tokens.front() && replayed.metrics.replayed_tokens > 0) {
        CHECK(replayed.given_typed_log_probabilities.front() >= first.given_typed_log_probabilities.front() - 0.001f);
    }
}

TEST("a branch answers like a prompt that ends with its tokens") {
    auto request       = fim_request(PREFIX, SUFFIX, 24, "");
    request.runners_up = true;
    const auto trunk   = run(request);
    CHECK(trunk.tokens.size() > 2);
    for (const size_t at : {size_t{0}, size_t{1}, trunk.tokens.size() - 1}) {
        auto branch  = fim_request(PREFIX, SUFFIX, 24, "");
        branch.begin = {trunk.tokens.begin(), trunk.tokens.begin() + static_cast<int64_t>(at)};
        branch.begin.push_back(trunk.runners_up[at]);
        const auto result = run(branch);
        CHECK(std::equal(branch.begin.begin(), branch.begin.end(), result.tokens.begin()));

        auto fresh = fim_request(PREFIX, SUFFIX, 24 - static_cast<int32_t>(branch.begin.size()), "");
        fresh.prompt.insert(fresh.prompt.end(), branch.begin.begin(), branch.begin.end());
        const auto expected = run_on(*make_slot(512, 64), fresh);
        const auto rest     = std::vector<token_id>(result.tokens.begin() + static_cast<int64_t>(branch.begin.size()),
                                                result.tokens.end());
        CHECK(rest == expected.tokens);
    }
}

TEST("a branch may begin inside the typed text, and nowhere else") {
    auto       request = fim_request(PREFIX, SUFFIX, 16, "retu");
    const auto trunk   = run(request);
    request.begin      = {trunk.tokens.front()};
    CHECK_EQUAL(run(request).text, trunk.text);
    request.begin = {-1};
    CHECK_EQUAL(error_code_of([&] { run(request); }), std::string("invalidArgument"));
    request.begin = {shared_slot().loaded_model().tokenize("zzz", false).front()};
    CHECK_EQUAL(error_code_of([&] { run(request); }), std::string("invalidArgument"));
}

TEST("a batch may be shorter than the rows that are exact") {
    for (const int32_t batch_size : {1, 2, 4, 7}) {
        generation_request request;
        // Everything behind the first token is typed, and so evaluated in the steps of typing.
        request.prompt      = {starter_model()->facts().fim->prefix,
                               std::string("def mean(values):\n    total = 0\n    for value")};
        request.boundaries  = {1};
        request.max_tokens  = 8;
        const auto expected = run_on(*make_slot(256, 256), request);
        CHECK_SAME_ANSWER(run_on(*make_slot(256, batch_size), request), expected);
    }
}

TEST("the last completion answers only where the prompt would be evaluated in the same batches") {
    auto request                       = fim_request("export function mean(values: number[]): number {\n", "\n}\n", 16);
    const std::vector<token_id> middle = starter_model()->tokenize(
        "  let sum = 0;\n  for (const value of values) {\n    sum += value;\n  }\n  return", /*parse_special =*/false);
    CHECK(middle.size() > 2 * MOST_EXACT_ROWS);
    request.prompt.insert(request.prompt.end(), middle.begin(), middle.end());
    // The same tokens, most of which an anchor has settled since.
    auto settled = request;
    settled.boundaries.push_back(static_cast<int32_t>(settled.prompt.size()) - 2);
    for (const std::string & name : inkling_test::tiny_architectures()) {
        const auto options = inkling_test::tiny(name);
        const auto on      = make_slot(options);
        const auto typed   = run_on(*on, request);
        CHECK_EQUAL(name + inkling_test::difference(run_on(*on, settled), run_on(*make_slot(options), settled)), name);
        CHECK_EQUAL(name + inkling_test::difference(run_on(*on, request), typed), name);
        CHECK_EQUAL(run_on(*on, request).metrics.replayed_tokens, static_cast<int32_t>(typed.tokens.size()));
    }
}

TEST("an error that is not the engine's own leaves the slot empty, too") {
    const auto       on = make_slot(512, 64);
    const abort_flag never;
    run_on(*on, fim_request(PREFIX, SUFFIX, 4));
    CHECK(on->seq().length() > 0);
    const std::function<void(const std::string &)> fails = [](const std::string &) {
        throw std::bad_alloc();
    };
    bool thrown = false;
    try {
        generation_run(*on, fim_request(PREFIX, SUFFIX, 4), never, fails).execute();
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    CHECK(thrown);
    CHECK_EQUAL(on->seq().length(), 0);
    CHECK(!on->last().known());
}

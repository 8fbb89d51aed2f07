#include "check.h"
#include "slots.h"

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

} // namespace

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
    // The first run recorded no runners-up. The slot chooses its tokens again, and they are the same.
    const auto result  = run(request);
    CHECK(result.tokens == plain.tokens);
    CHECK_EQUAL(result.runners_up.size(), result.tokens.size());
    for (size_t i = 0; i < result.tokens.size(); ++i) {
        CHECK(result.runners_up[i] != result.tokens[i]);
        CHECK(result.runner_up_log_probabilities[i] <= result.log_probabilities[i]);
    }
    CHECK(plain.runners_up.empty());
    // Now the slot has recorded the runners-up.
    const auto again = run(request);
    CHECK(again.metrics.replayed_tokens > 0);
    CHECK(again.runners_up == result.runners_up);
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
    request.begin = {shared_slot().owner().tokenize("zzz", false).front()};
    CHECK_EQUAL(error_code_of([&] { run(request); }), std::string("invalidArgument"));
}

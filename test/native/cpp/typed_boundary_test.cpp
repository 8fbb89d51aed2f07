// At the start of the typed line, a key costs the evaluation of that key. This holds however short the line is, and
// even where healing may take all of it back.
#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include "engine/generate/prompt.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace inkling;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::run_on;

namespace {

// Some lines above the cursor's line. The slot evaluates them in one go.
const std::string SETTLED =
    "  private readonly items: string[] = [];\n  private readonly names = new Map<string, number>();\n\n"
    "  add(item: string, amount: number): void {\n    this.names.set(item, amount);\n  }\n\n";

generation_request request_for(const std::string & typed) {
    generation_request request = fim_request("class Stock {\n", "\n}\n", 12);
    request.prompt.emplace_back(SETTLED);
    request.boundaries.push_back(static_cast<int32_t>(request.prompt.size()));
    if (!typed.empty()) {
        request.prompt.emplace_back(typed);
        request.heal = true;
    }
    request.speculation = speculation_mode::off;
    return request;
}

void check_keys(const std::string & name, const std::vector<std::string> & keys) {
    inkling_test::slot_options options;
    if (!name.empty()) {
        options = inkling_test::tiny(name);
    }
    const auto subject   = make_slot(options);
    const auto reference = make_slot(options);
    int32_t    most      = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
        const auto request = request_for(keys[i]);
        const auto result  = run_on(*subject, request);
        reference->forget();
        CHECK_SAME_ANSWER(result, run_on(*reference, request));
        if (i > 0) {
            most = std::max(most, result.metrics.prompt_tokens - result.metrics.reused_tokens);
        }
    }
    std::cout << "     " << (name.empty() ? "starter" : name) << ": at most " << most << " tokens of the prompt\n";
    CHECK(most <= 2);
}

} // namespace

TEST("keys at the start of a line, typed against the suggestion, cost at most two prompt tokens") {
    const std::vector<std::vector<std::string>> lines = {
        // At the margin, where the model may still choose the whole word differently.
        {"", "q", "qz", "q", "", "z"},
        // In a line that the editor indented. Here too, the model may still choose all blanks differently.
        {"    ", "   ", "  ", "  q", "  ", "    ", "    zq"},
        {"  q", "  ", "", "  "},
    };
    for (const auto & keys : lines) {
        check_keys("", keys);
        for (const std::string & architecture : inkling_test::tiny_architectures()) {
            check_keys(architecture, keys);
        }
    }
}

TEST("the section boundaries ascend, also where nothing lies between the typed text and the section before it") {
    const auto         fim = *inkling_test::starter_model()->facts().fim;
    generation_request request;
    request.prompt     = {fim.prefix, fim.suffix, fim.middle, std::string(), std::string("return")};
    request.boundaries = {4, 3, 1};
    const auto prompt  = tokenize_prompt(*inkling_test::starter_model(), request);
    CHECK(prompt.boundaries == std::vector<int32_t>({1, 2}));
}

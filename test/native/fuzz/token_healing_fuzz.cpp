// Healing any text: stable tokens and rest spell the text, and the rest covers what is not stable yet.
#include "require.h"
#include "starter.h"

#include "engine/text/token_healing.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <string>

using namespace inkling;
using inkling_fuzz::starter_vocabulary;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size) {
    FuzzedDataProvider input(data, size);
    const auto         limit = input.ConsumeIntegralInRange<int32_t>(0, 16);
    const std::string  text  = inkling_fuzz::to_utf8(input.ConsumeRemainingBytesAsString());

    const size_t unstable = unstable_suffix(text);
    REQUIRE(unstable <= text.size());
    REQUIRE(text.empty() || unstable > 0);

    const healed_text healed = heal(starter_vocabulary(), text, limit);
    REQUIRE(healed.rest_tokens.size() <= static_cast<size_t>(limit));
    REQUIRE(starter_vocabulary().detokenize(healed.rest_tokens, false) == healed.rest);
    for (const token_id token : healed.stable) {
        REQUIRE(starter_vocabulary().is_token(token));
    }
    REQUIRE(starter_vocabulary().detokenize(healed.stable, false) + healed.rest == text);
    const bool at_limit = healed.rest_tokens.size() == static_cast<size_t>(limit);
    REQUIRE(at_limit || healed.rest.size() >= unstable);
    return 0;
}

// Any JavaScript values as arguments of the addon: they become a request in which every number is in its range, or an
// error that names the argument. What a getter throws is passed on.
#include "addon/convert/convert.h"
#include "napi_fake.h"
#include "require.h"
#include "starter.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

using namespace inkling;
using namespace inkling_fuzz;

namespace {

constexpr int MOST_DEPTH = 4;

constexpr std::array KEYS = {"prompt",
                             "stop",
                             "stopTokens",
                             "spelledTokens",
                             "endsWithFile",
                             "maxTokens",
                             "timeBudgetMs",
                             "sectionBoundaries",
                             "whenContextFull",
                             "heal",
                             "draft",
                             "begin",
                             "runnersUp",
                             "speculation",
                             "slot",
                             "priority",
                             "draftSources",
                             "sampling",
                             "temperature",
                             "topK",
                             "topP",
                             "seed",
                             "path",
                             "device",
                             "gpuLayers",
                             "requireFim",
                             "mtp",
                             "contextLength",
                             "threads",
                             "batchSize",
                             "checkpointBudgetBytes",
                             "swapBudgetBytes",
                             "chatContextLength",
                             "kvType",
                             "message",
                             "length"};

constexpr std::array WORDS = {
    "auto",        "off",     "optimistic", "completion", "chat", "background", "stop", "shift",
    "checkpoints", "swapped", "mtp",        "lookup",     "f16",  "q8_0",       "",     "x"};

constexpr std::array NUMBERS = {0.0,
                                -0.0,
                                1.0,
                                -1.0,
                                0.5,
                                2147483647.0,
                                2147483648.0,
                                -2147483648.0,
                                4294967295.0,
                                9007199254740993.0,
                                1e308,
                                std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity()};

class decoder {
  public:
    decoder(const uint8_t * data, size_t size) : input_(data, size) {}

    int choose(int most) { return input_.ConsumeIntegralInRange(0, most); }

    fake_value * value(int depth = 0) {
        switch (choose(depth < MOST_DEPTH ? 11 : 6)) {
            case 0: return fake().make(napi_undefined);
            case 1: return fake().make(napi_null);
            case 2: return boolean();
            case 3: return number(input_.PickValueInArray(NUMBERS));
            case 4: return number(input_.ConsumeIntegralInRange(-3, 300));
            case 5: return fake().make_text(input_.PickValueInArray(WORDS));
            case 6: return text();
            case 7: return array(depth);
            case 8: return typed_array();
            case 9: return fake().make(choose(1) == 0 ? napi_function : napi_symbol);
            default: return object(depth);
        }
    }

    fake_value * object(int depth) {
        fake_value * made = fake().make(napi_object);
        for (int count = choose(12); count > 0; --count) {
            const char * key      = input_.PickValueInArray(KEYS);
            made->properties[key] = property(depth);
        }
        return made;
    }

  private:
    fake_property property(int depth) {
        fake_property made;
        const int     kind = choose(19);
        for (int count = kind == 0 ? 0 : kind == 1 ? 2 : 1; count > 0; --count) {
            made.values.push_back(value(depth + 1));
        }
        return made;
    }

    fake_value * boolean() {
        fake_value * made = fake().make(napi_boolean);
        made->flag        = choose(1) == 1;
        return made;
    }

    fake_value * number(double from) {
        fake_value * made = fake().make(napi_number);
        made->number      = from;
        return made;
    }

    fake_value * text() {
        std::string from = input_.ConsumeRandomLengthString(80);
        return fake().make_text(is_utf8(from) ? from : "x");
    }

    fake_value * array(int depth) {
        fake_value * made = fake().make(napi_object);
        made->is_array    = true;
        for (int count = choose(5); count > 0; --count) {
            made->items.push_back(property(depth));
        }
        made->length = static_cast<uint32_t>(made->items.size());
        if (choose(15) == 0) {
            made->length = input_.ConsumeIntegral<uint32_t>();
        }
        return made;
    }

    fake_value * typed_array() {
        fake_value * made    = fake().make(napi_object);
        made->is_typed_array = true;
        made->element_type   = static_cast<napi_typedarray_type>(choose(napi_biguint64_array));
        made->bytes          = input_.ConsumeBytes<uint8_t>(static_cast<size_t>(choose(4)) * 8);
        return made;
    }

    FuzzedDataProvider input_;
};

void check(const generation_request & request) {
    for (const prompt_part & part : request.prompt) {
        REQUIRE(!std::holds_alternative<token_id>(part) || std::get<token_id>(part) >= 0);
        REQUIRE(!std::holds_alternative<std::string>(part) || is_utf8(std::get<std::string>(part)));
    }
    REQUIRE(request.max_tokens >= 0);
    REQUIRE(request.time_budget_ms >= 0);
    REQUIRE(request.sampling.temperature >= 0.0f && request.sampling.temperature <= 10.0f);
    REQUIRE(request.sampling.top_p >= 0.0f && request.sampling.top_p <= 1.0f);
    REQUIRE(request.sampling.top_k >= 0);
    for (const auto * tokens : {&request.begin, &request.stop_tokens, &request.spelled_tokens}) {
        for (const token_id token : *tokens) {
            REQUIRE(token >= 0);
        }
    }
    for (const int32_t boundary : request.boundaries) {
        REQUIRE(boundary >= 0);
    }
}

void check(const load_request & request) {
    REQUIRE(!request.model.path.empty() && request.model.path.find('\0') == std::string::npos);
    REQUIRE(request.model.gpu_layers >= -1);
    REQUIRE(request.slots.context.context_length >= 0 && request.slots.chat_context_length >= 0);
    REQUIRE(request.slots.context.threads >= 0 && request.slots.context.threads <= 512);
    REQUIRE(request.slots.context.batch_size >= 0 && request.slots.context.batch_size <= 4096);
    REQUIRE(request.slots.checkpoint_budget_bytes >= -1 && request.slots.swap_budget_bytes >= -1);
}

void convert(decoder & input) {
    const int         what = input.choose(6);
    const Napi::Value value(fake_env(), handle_of(what < 2 ? input.object(0) : input.value()));
    switch (what) {
        case 0:
        case 2: check(read_generation_request(value)); break;
        case 1:
        case 3: check(read_load_request(object_reader(value, "options"))); break;
        case 4:
            for (const token_id token : read_tokens(value, "tokens")) {
                REQUIRE(token >= 0);
            }
            break;
        case 5: read_release_target(value); break;
        default: read_prompt(value, "prompt"); break;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size) {
    fake() = fake_engine();
    decoder input(data, size);
    try {
        convert(input);
    } catch (const engine_error & error) {
        REQUIRE(error.code() == error_code::invalid_argument);
        const std::string message = error.what();
        REQUIRE(!message.empty() && message.size() < 1000 && is_utf8(message));
        const Napi::Error shown = to_js_error(fake_env(), error);
        REQUIRE(value_of(shown.Value()).properties.count("isTypeError") == 1);
        REQUIRE(value_of(shown.Value()).properties.count("code") == 1);
    } catch (const Napi::Error &) {
        REQUIRE(fake().threw);
    }
    REQUIRE(fake().pending == nullptr);
    return 0;
}

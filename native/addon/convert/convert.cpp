#include "addon/convert/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace inkling {

namespace {

constexpr int64_t  INT32_LIMIT = std::numeric_limits<int32_t>::max();
constexpr uint32_t MOST_ITEMS  = 1 << 16;
constexpr size_t   MOST_DEVICE = 100;
constexpr size_t   MOST_PATH   = 1 << 15; // Windows' own limit; the other systems' are lower.

engine_error wrong_argument(const std::string & name, const std::string & expected, const Napi::Value & value) {
    return engine_error(error_code::invalid_argument, name + " must be " + expected + ", not " + describe(value));
}

std::string range_text(int64_t min, int64_t max) {
    return max == INT32_LIMIT ? "an integer of at least " + std::to_string(min)
                              : "an integer from " + std::to_string(min) + " to " + std::to_string(max);
}

std::string item_name(const std::string & list, size_t index) {
    return list + "[" + std::to_string(index) + "]";
}

std::optional<int64_t> integer_value(const Napi::Value & value, int64_t min, int64_t max) {
    if (!value.IsNumber()) {
        return std::nullopt;
    }
    const double number = value.As<Napi::Number>().DoubleValue();
    if (std::floor(number) != number || number < static_cast<double>(min) || number > static_cast<double>(max)) {
        return std::nullopt;
    }
    return static_cast<int64_t>(number);
}

int64_t read_integer(const Napi::Value & value, int64_t min, int64_t max, const std::string & name) {
    if (const auto number = integer_value(value, min, max)) {
        return *number;
    }
    throw wrong_argument(name, range_text(min, max), value);
}

// How JavaScript spells one value of a closed set.
template <typename meaning> struct spelling {
    std::string_view text;
    meaning          value;
};

constexpr spelling<kv_type>          KV_TYPES[]          = {{"f16", kv_type::f16}, {"q8_0", kv_type::q8_0}};
constexpr spelling<speculation_mode> SPECULATION_MODES[] = {{"auto", speculation_mode::automatic},
                                                            {"off", speculation_mode::off},
                                                            {"optimistic", speculation_mode::optimistic}};
constexpr spelling<slot_kind>        SLOTS[]      = {{"completion", slot_kind::completion}, {"chat", slot_kind::chat}};
constexpr spelling<job_priority>     PRIORITIES[] = {
        {"completion", job_priority::completion}, {"chat", job_priority::chat}, {"background", job_priority::background}};
constexpr spelling<context_policy>        CONTEXT_POLICIES[]   = {{"stop", context_policy::stop},
                                                                  {"shift", context_policy::shift}};
constexpr spelling<release_target>        RELEASE_TARGETS[]    = {{"checkpoints", release_target::checkpoints},
                                                                  {"swapped", release_target::swapped},
                                                                  {"chat", release_target::chat},
                                                                  {"completion", release_target::completion}};
constexpr spelling<bool draft_sources::*> DRAFT_SOURCE_NAMES[] = {{"mtp", &draft_sources::mtp},
                                                                  {"lookup", &draft_sources::lookup}};

template <typename meaning, size_t count>
meaning read_enum(const Napi::Value & value, const std::string & name, const spelling<meaning> (&spellings)[count]) {
    const std::string text = value.IsString() ? value.As<Napi::String>().Utf8Value() : std::string();
    std::string       expected;
    for (size_t i = 0; i < count; ++i) {
        if (text == spellings[i].text) {
            return spellings[i].value;
        }
        expected += i == 0 ? "" : i + 1 < count ? ", " : " or ";
        expected.append("'").append(spellings[i].text).append("'");
    }
    throw wrong_argument(name, expected, value);
}

template <typename meaning, size_t count> meaning read_enum(const object_reader & options, const char * key,
                                                            const spelling<meaning> (&spellings)[count],
                                                            meaning fallback) {
    return options.has(key) ? read_enum(options.get(key), options.name_of(key), spellings) : fallback;
}

} // namespace

Napi::Error to_js_error(Napi::Env env, const engine_error & error) {
    Napi::Error result = error.code() == error_code::invalid_argument ? Napi::TypeError::New(env, error.what())
                                                                      : Napi::Error::New(env, error.what());
    result.Set("code", Napi::String::New(env, to_string(error.code())));
    return result;
}

Napi::Error current_js_error(Napi::Env env) {
    try {
        throw;
    } catch (const Napi::Error & error) {
        return error;
    } catch (...) {
        return to_js_error(env, current_error());
    }
}

void throw_to_js(Napi::Env env) {
    throw current_js_error(env);
}

std::string describe(const Napi::Value & value) {
    if (value.IsString()) {
        const std::string text = value.As<Napi::String>().Utf8Value();
        return text.size() > 60 ? "a string of " + std::to_string(text.size()) + " bytes" : "'" + text + "'";
    }
    if (value.IsNumber() || value.IsBoolean() || value.IsNull() || value.IsUndefined()) {
        return value.ToString().Utf8Value();
    }
    if (value.IsArray()) {
        return "an array";
    }
    if (value.IsFunction()) {
        return "a function";
    }
    return "a value of another type";
}

object_reader::object_reader(const Napi::Value & value, const std::string & name) : name_(name) {
    if (!value.IsObject() || value.IsArray() || value.IsFunction()) {
        throw wrong_argument(name, "an object", value);
    }
    object_ = value.As<Napi::Object>();
}

bool object_reader::has(const char * key) const {
    return !object_.Get(key).IsUndefined();
}

Napi::Value object_reader::get(const char * key) const {
    return object_.Get(key);
}

void object_reader::wrong(const char * key, const std::string & expected) const {
    throw wrong_argument(name_of(key), expected, object_.Get(key));
}

std::string object_reader::string(const char * key) const {
    return read_string(object_.Get(key), name_of(key));
}

int64_t object_reader::integer(const char * key, int64_t min, int64_t max) const {
    return read_integer(object_.Get(key), min, max, name_of(key));
}

int64_t object_reader::integer(const char * key, int64_t min, int64_t max, int64_t fallback) const {
    return has(key) ? integer(key, min, max) : fallback;
}

double object_reader::number(const char * key, double min, double max, double fallback) const {
    if (!has(key)) {
        return fallback;
    }
    const Napi::Value value = object_.Get(key);
    if (value.IsNumber()) {
        const double number = value.As<Napi::Number>().DoubleValue();
        if (number >= min && number <= max) {
            return number;
        }
    }
    char range[64];
    std::snprintf(range, sizeof(range), "a number from %g to %g", min, max);
    wrong(key, range);
}

bool object_reader::boolean(const char * key, bool fallback) const {
    if (!has(key)) {
        return fallback;
    }
    const Napi::Value value = object_.Get(key);
    if (!value.IsBoolean()) {
        wrong(key, "true or false");
    }
    return value.As<Napi::Boolean>().Value();
}

std::optional<Napi::Function> object_reader::function(const char * key) const {
    if (!has(key)) {
        return std::nullopt;
    }
    const Napi::Value value = object_.Get(key);
    if (!value.IsFunction()) {
        wrong(key, "a function");
    }
    return value.As<Napi::Function>();
}

std::vector<Napi::Value> object_reader::array(const char * key) const {
    std::vector<Napi::Value> items;
    if (!has(key)) {
        return items;
    }
    const Napi::Value value = object_.Get(key);
    if (!value.IsArray()) {
        wrong(key, "an array");
    }
    const Napi::Array source = value.As<Napi::Array>();
    // An array may say any length without having items.
    if (source.Length() > MOST_ITEMS) {
        wrong(key, "an array of at most " + std::to_string(MOST_ITEMS) + " items");
    }
    for (uint32_t i = 0; i < source.Length(); ++i) {
        items.push_back(source.Get(i));
    }
    return items;
}

std::string object_reader::path(const char * key) const {
    std::string text = string(key);
    if (text.empty() || text.size() > MOST_PATH || text.find('\0') != std::string::npos) {
        wrong(key, "a file's path");
    }
    return text;
}

std::string read_string(const Napi::Value & value, const std::string & name) {
    if (!value.IsString()) {
        throw wrong_argument(name, "a string", value);
    }
    return value.As<Napi::String>().Utf8Value();
}

std::string read_device(const Napi::Value & value, const std::string & name) {
    std::string text = read_string(value, name);
    if (text.size() > MOST_DEVICE) {
        throw wrong_argument(name, "the name of a device", value);
    }
    return text;
}

std::vector<token_id> read_tokens(const Napi::Value & value, const std::string & name) {
    if (value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == napi_int32_array) {
        const Napi::Int32Array array = value.As<Napi::Int32Array>();
        std::vector<token_id>  tokens(array.Data(), array.Data() + array.ElementLength());
        const auto wrong = std::find_if(tokens.begin(), tokens.end(), [](token_id token) { return token < 0; });
        if (wrong != tokens.end()) {
            throw engine_error(error_code::invalid_argument,
                               item_name(name, static_cast<size_t>(wrong - tokens.begin())) + " must be " +
                                   range_text(0, INT32_LIMIT) + ", not " + std::to_string(*wrong));
        }
        return tokens;
    }
    if (!value.IsArray()) {
        throw wrong_argument(name, "an array of token ids or an Int32Array", value);
    }
    const Napi::Array     array = value.As<Napi::Array>();
    std::vector<token_id> tokens;
    for (uint32_t i = 0; i < array.Length(); ++i) {
        tokens.push_back(static_cast<token_id>(read_integer(array.Get(i), 0, INT32_LIMIT, item_name(name, i))));
    }
    return tokens;
}

load_request read_load_request(const object_reader & options) {
    load_request request;
    request.model.path   = options.path("path");
    request.model.device = options.has("device") ? read_device(options.get("device"), options.name_of("device")) : "";
    request.model.gpu_layers              = static_cast<int32_t>(options.integer("gpuLayers", -1, INT32_LIMIT, -1));
    request.model.require_fim             = options.boolean("requireFim", true);
    request.model.mtp                     = options.boolean("mtp", true);
    request.slots.context.context_length  = static_cast<int32_t>(options.integer("contextLength", 0, 1 << 24, 0));
    request.slots.context.threads         = static_cast<int32_t>(options.integer("threads", 0, 512, 0));
    request.slots.context.batch_size      = static_cast<int32_t>(options.integer("batchSize", 0, 4096, 0));
    request.slots.checkpoint_budget_bytes = options.integer("checkpointBudgetBytes", -1, int64_t{1} << 40, -1);
    request.slots.swap_budget_bytes       = options.integer("swapBudgetBytes", -1, int64_t{1} << 40, -1);
    request.slots.chat_context_length     = static_cast<int32_t>(options.integer("chatContextLength", 0, 1 << 24, 0));
    request.slots.context.kv              = read_enum(options, "kvType", KV_TYPES, kv_type::f16);
    return request;
}

namespace {

draft_sources read_draft_sources(const object_reader & options) {
    if (!options.has("draftSources")) {
        return {};
    }
    draft_sources sources{false, false};
    for (const Napi::Value & each : options.array("draftSources")) {
        sources.*read_enum(each, options.name_of("draftSources"), DRAFT_SOURCE_NAMES) = true;
    }
    return sources;
}

} // namespace

std::vector<prompt_part> read_prompt(const Napi::Value & value, const std::string & name) {
    if (!value.IsArray()) {
        throw wrong_argument(name, "an array of text and token ids", value);
    }
    const Napi::Array        array = value.As<Napi::Array>();
    std::vector<prompt_part> parts;
    for (uint32_t i = 0; i < array.Length(); ++i) {
        const Napi::Value part = array.Get(i);
        if (part.IsString()) {
            parts.emplace_back(part.As<Napi::String>().Utf8Value());
        } else if (const auto token = integer_value(part, 0, INT32_LIMIT)) {
            parts.emplace_back(static_cast<token_id>(*token));
        } else {
            throw wrong_argument(item_name(name, i), "text or a token id", part);
        }
    }
    return parts;
}

generation_request read_generation_request(const Napi::Value & value) {
    const object_reader options(value, "request");
    generation_request  request;

    request.prompt                       = read_prompt(options.get("prompt"), "request.prompt");
    const std::vector<Napi::Value> stops = options.array("stop");
    for (size_t i = 0; i < stops.size(); ++i) {
        request.stop.push_back(read_string(stops[i], item_name("request.stop", i)));
    }
    if (options.has("stopTokens")) {
        request.stop_tokens = read_tokens(options.get("stopTokens"), "request.stopTokens");
    }
    if (options.has("spelledTokens")) {
        request.spelled_tokens = read_tokens(options.get("spelledTokens"), "request.spelledTokens");
    }
    request.ends_with_file = options.boolean("endsWithFile", false);
    request.max_tokens     = static_cast<int32_t>(options.integer("maxTokens", 0, INT32_LIMIT));
    request.time_budget_ms = options.integer("timeBudgetMs", 0, INT32_LIMIT, 0);

    for (const token_id part : options.has("sectionBoundaries")
                                   ? read_tokens(options.get("sectionBoundaries"), "request.sectionBoundaries")
                                   : std::vector<token_id>()) {
        request.boundaries.push_back(part);
    }
    request.when_context_full = read_enum(options, "whenContextFull", CONTEXT_POLICIES, context_policy::stop);
    request.heal              = options.boolean("heal", false);
    request.draft             = options.has("draft") ? options.string("draft") : std::string();
    request.proposal          = options.has("proposal") ? options.string("proposal") : std::string();
    if (options.has("begin")) {
        request.begin = read_tokens(options.get("begin"), "request.begin");
    }
    request.runners_up  = options.boolean("runnersUp", false);
    request.speculation = read_enum(options, "speculation", SPECULATION_MODES, speculation_mode::automatic);
    request.slot        = read_enum(options, "slot", SLOTS, slot_kind::completion);
    request.priority    = read_enum(options, "priority", PRIORITIES,
                                 request.slot == slot_kind::chat ? job_priority::chat : job_priority::completion);
    request.drafts      = read_draft_sources(options);

    if (options.has("sampling")) {
        const object_reader sampling(options.get("sampling"), "request.sampling");
        request.sampling.temperature = static_cast<float>(sampling.number("temperature", 0.0, 10.0, 0.0));
        request.sampling.top_k       = static_cast<int32_t>(sampling.integer("topK", 0, INT32_LIMIT, 0));
        request.sampling.top_p       = static_cast<float>(sampling.number("topP", 0.0, 1.0, 1.0));
        request.sampling.seed =
            static_cast<uint32_t>(sampling.integer("seed", 0, std::numeric_limits<uint32_t>::max(), 0));
    }
    return request;
}

release_target read_release_target(const Napi::Value & value) {
    return read_enum(value, "what", RELEASE_TARGETS);
}

} // namespace inkling

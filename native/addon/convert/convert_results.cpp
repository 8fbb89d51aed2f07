// The part of convert that goes from structs to JavaScript.
#include "addon/convert/convert.h"

namespace inkling {

namespace {

void set(Napi::Object object, const char * key, double value) {
    object.Set(key, Napi::Number::New(object.Env(), value));
}

void set(Napi::Object object, const char * key, const std::string & value) {
    object.Set(key, Napi::String::New(object.Env(), value));
}

template <typename Container> Napi::Array number_array(Napi::Env env, const Container & numbers) {
    Napi::Array array = Napi::Array::New(env, numbers.size());
    uint32_t    index = 0;
    for (const auto number : numbers) {
        array.Set(index++, Napi::Number::New(env, number));
    }
    return array;
}

} // namespace

Napi::Value to_js(Napi::Env env, const loaded_facts & facts) {
    const model_facts & model  = facts.model;
    Napi::Object        object = Napi::Object::New(env);
    set(object, "path", model.path);
    set(object, "name", model.name);
    set(object, "architecture", model.architecture);
    set(object, "quantization", model.quantization);
    set(object, "fileBytes", static_cast<double>(model.file_bytes));
    set(object, "weightsBytes", static_cast<double>(model.weights_bytes));
    set(object, "parameterCount", static_cast<double>(model.parameter_count));
    set(object, "layerCount", model.layer_count);
    set(object, "mtpLayerCount", model.mtp_layer_count);
    set(object, "vocabularySize", model.vocabulary_size);
    set(object, "trainingContextLength", model.training_context_length);
    set(object, "contextLength", facts.context_length);
    set(object, "chatContextLength", facts.chat_context_length);
    object.Set("recurrent", Napi::Boolean::New(env, model.recurrent));
    object.Set("canShiftContext", Napi::Boolean::New(env, facts.can_shift_context));
    if (model.fim) {
        Napi::Object fim = Napi::Object::New(env);
        set(fim, "prefix", model.fim->prefix);
        set(fim, "suffix", model.fim->suffix);
        set(fim, "middle", model.fim->middle);
        set(fim, "pad", model.fim->pad);
        set(fim, "repo", model.fim->repo);
        set(fim, "fileSep", model.fim->file_sep);
        fim.Set("suffixFirst", Napi::Boolean::New(env, model.fim->suffix_first));
        object.Set("fim", fim);
    } else {
        object.Set("fim", env.Null());
    }
    set(object, "bosToken", model.bos_token);
    object.Set("addBos", Napi::Boolean::New(env, model.add_bos));
    object.Set("leadingBlank", Napi::Boolean::New(env, model.leading_blank));
    object.Set("chatTemplate", model.chat_template ? Napi::String::New(env, *model.chat_template) : env.Null());
    set(object, "threads", facts.threads);
    set(object, "backend", facts.backend);
    return object;
}

Napi::Value to_js(Napi::Env env, const generation_metrics & metrics) {
    Napi::Object object = Napi::Object::New(env);
    set(object, "promptTokens", metrics.prompt_tokens);
    set(object, "reusedTokens", metrics.reused_tokens);
    set(object, "evaluatedTokens", metrics.evaluated_tokens);
    set(object, "reuse", std::string(to_string(metrics.reuse)));
    set(object, "generatedTokens", metrics.generated_tokens);
    set(object, "shiftedTokens", metrics.shifted_tokens);
    set(object, "replayedTokens", metrics.replayed_tokens);
    set(object, "rounds", metrics.rounds);
    set(object, "mtpSteps", metrics.mtp_steps);
    object.Set("offeredByDepth", number_array(env, metrics.offered_by_depth));
    object.Set("acceptedByDepth", number_array(env, metrics.accepted_by_depth));
    set(object, "draftedTokens", metrics.drafted_tokens);
    set(object, "acceptedDraftTokens", metrics.accepted_draft_tokens);
    if (!metrics.draft_failure.empty()) {
        set(object, "draftFailure", metrics.draft_failure);
    }
    set(object, "exactRows", metrics.exact_rows);
    object.Set("verifyMs", number_array(env, metrics.costs.verify));
    set(object, "draftMs", metrics.costs.draft_step);
    set(object, "queuedMs", metrics.queued_ms);
    set(object, "prefillMs", metrics.prefill_ms);
    set(object, "decodeMs", metrics.decode_ms);
    set(object, "preemptions", metrics.preemptions);
    set(object, "prefillTokensPerSecond", metrics.prefill_tokens_per_second());
    set(object, "decodeTokensPerSecond", metrics.decode_tokens_per_second());
    set(object, "peakRssBytes", static_cast<double>(metrics.peak_rss));
    return object;
}

Napi::Value to_js(Napi::Env env, const generation_result & result) {
    Napi::Object object = Napi::Object::New(env);
    set(object, "text", result.text);
    object.Set("tokens", number_array(env, result.tokens));
    object.Set("logProbabilities", number_array(env, result.log_probabilities));
    object.Set("givenTypedLogProbabilities", number_array(env, result.given_typed_log_probabilities));
    object.Set("pieceLengths", number_array(env, result.piece_lengths));
    if (!result.runners_up.empty()) {
        object.Set("runnersUp", number_array(env, result.runners_up));
        object.Set("runnerUpLogProbabilities", number_array(env, result.runner_up_log_probabilities));
    }
    set(object, "stopReason", std::string(to_string(result.reason)));
    object.Set("metrics", to_js(env, result.metrics));
    return object;
}

Napi::Value to_js(Napi::Env env, const key_vectors & keys) {
    Napi::Object object = Napi::Object::New(env);
    object.Set("layers", number_array(env, keys.layers));
    set(object, "heads", keys.heads);
    set(object, "tokens", keys.tokens);
    set(object, "headDim", keys.head_dim);
    Napi::Float32Array values = Napi::Float32Array::New(env, keys.values.size());
    std::copy(keys.values.begin(), keys.values.end(), values.Data());
    object.Set("values", values);
    return object;
}

} // namespace inkling

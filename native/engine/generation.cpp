#include "engine/generation.h"

#include "engine/error.h"
#include "engine/text_stream.h"

#include <algorithm>

namespace inkling {

namespace {

using steady_clock = std::chrono::steady_clock;

double milliseconds_since(steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(steady_clock::now() - start).count();
}

std::vector<token_id> tokenize_prompt(const model & loaded, const std::vector<prompt_part> & prompt) {
    std::vector<token_id> tokens;
    for (const prompt_part & part : prompt) {
        if (const auto * text = std::get_if<std::string>(&part)) {
            const std::vector<token_id> piece = loaded.tokenize(*text, /*parse_special =*/false);
            tokens.insert(tokens.end(), piece.begin(), piece.end());
            continue;
        }
        const token_id token = std::get<token_id>(part);
        if (!loaded.is_token(token)) {
            throw engine_error(error_code::invalid_argument,
                               "prompt: " + std::to_string(token) +
                                   " is not a token of this model, whose vocabulary has " +
                                   std::to_string(loaded.facts().vocabulary_size));
        }
        tokens.push_back(token);
    }
    if (tokens.empty()) {
        throw engine_error(error_code::invalid_argument, "prompt: it has no tokens");
    }
    return tokens;
}

} // namespace

const char * to_string(stop_reason reason) {
    switch (reason) {
        case stop_reason::end_of_text: return "endOfText";
        case stop_reason::stop_text: return "stopText";
        case stop_reason::max_tokens: return "maxTokens";
        case stop_reason::time_budget: return "timeBudget";
        case stop_reason::context_full: return "contextFull";
        case stop_reason::aborted: return "aborted";
    }
    return "aborted";
}

double generation_metrics::prefill_tokens_per_second() const {
    const int32_t evaluated = prompt_tokens - reused_tokens;
    return prefill_ms > 0.0 ? evaluated * 1000.0 / prefill_ms : 0.0;
}

double generation_metrics::decode_tokens_per_second() const {
    return decode_ms > 0.0 ? generated_tokens * 1000.0 / decode_ms : 0.0;
}

generation_result generate(const model & loaded, context & ctx, const generation_request & request,
                           const abort_flag & abort, const std::function<void(const std::string &)> & on_text) {
    const auto start = steady_clock::now();

    const std::vector<token_id> prompt       = tokenize_prompt(loaded, request.prompt);
    const int32_t               prompt_count = static_cast<int32_t>(prompt.size());
    // The last prompt token yields the first generated one, so a prompt that fills the context exactly still works.
    if (prompt_count > ctx.length()) {
        throw engine_error(error_code::prompt_too_long, "The prompt has " + std::to_string(prompt_count) +
                                                            " tokens; the context holds " +
                                                            std::to_string(ctx.length()));
    }

    generation_result result;
    result.metrics.prompt_tokens = prompt_count;
    const auto out_of_time       = [&] {
        return request.time_budget_ms > 0 && milliseconds_since(start) >= static_cast<double>(request.time_budget_ms);
    };

    // Prefill, in chunks so that an abort is noticed soon.
    ctx.clear();
    int32_t position = 0;
    while (position < prompt_count) {
        if (abort.is_set() || out_of_time()) {
            result.reason             = abort.is_set() ? stop_reason::aborted : stop_reason::time_budget;
            result.metrics.prefill_ms = milliseconds_since(start);
            return result;
        }
        const int32_t count = std::min(ctx.batch_size(), prompt_count - position);
        ctx.decode(prompt.data() + position, count, position);
        position += count;
        result.metrics.evaluated_tokens += count;
    }
    result.metrics.prefill_ms = milliseconds_since(start);

    sampler chooser(request.sampling, loaded.facts().vocabulary_size);
    for (const token_id token : prompt) {
        chooser.accept_prompt(token);
    }

    const auto  decode_start = steady_clock::now();
    text_stream stream(request.stop);
    const auto  show = [&](const std::string & text) {
        if (!text.empty()) {
            result.text += text;
            on_text(text);
        }
    };
    while (true) {
        if (abort.is_set()) {
            result.reason = stop_reason::aborted;
            break;
        }
        if (static_cast<int32_t>(result.tokens.size()) >= request.max_tokens) {
            result.reason = stop_reason::max_tokens;
            break;
        }
        if (out_of_time()) {
            result.reason = stop_reason::time_budget;
            break;
        }
        const token_id token = chooser.sample(ctx);
        if (loaded.is_end(token) ||
            std::find(request.stop_tokens.begin(), request.stop_tokens.end(), token) != request.stop_tokens.end()) {
            result.reason = stop_reason::end_of_text;
            break;
        }
        result.tokens.push_back(token);
        ++result.metrics.generated_tokens;
        show(stream.append(loaded.piece(token, /*special =*/false)));
        if (stream.stopped()) {
            result.reason = stop_reason::stop_text;
            break;
        }
        if (position >= ctx.length()) {
            result.reason = stop_reason::context_full;
            break;
        }
        // The last token of a full answer would be evaluated for nothing.
        if (static_cast<int32_t>(result.tokens.size()) < request.max_tokens) {
            ctx.decode(&token, 1, position++);
            ++result.metrics.evaluated_tokens;
        }
    }
    show(stream.finish());
    result.metrics.decode_ms = milliseconds_since(decode_start);
    return result;
}

} // namespace inkling

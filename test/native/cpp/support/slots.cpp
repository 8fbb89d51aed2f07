#include "slots.h"

#include "check.h"
#include "tiny_models.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

using namespace inkling;

namespace inkling_test {

slot_options tiny(const std::string & architecture) {
    slot_options options;
    options.model = tiny_model(architecture);
    return options;
}

std::vector<slot_options> models_with_head() {
    std::vector<slot_options> models(under_thread_sanitizer() ? 0 : 1);
    for (const std::string & name : tiny_architectures()) {
        if (name.ends_with("+mtp")) {
            models.push_back(tiny(name));
        }
    }
    return models;
}

std::unique_ptr<slot> make_slot(const slot_options & options) {
    slot_params params;
    params.context.context_length  = options.context_length;
    params.context.batch_size      = options.batch_size;
    params.context.snapshots       = options.snapshots;
    params.context.kv              = options.kv;
    params.context.threads         = slot_threads(options.threads);
    params.checkpoint_budget_bytes = options.checkpoint_budget;
    params.swap                    = std::make_shared<swap_store>(options.swap_budget);
    return std::make_unique<slot>(options.model != nullptr ? options.model : starter_model(), params);
}

std::unique_ptr<slot> make_slot(int32_t context_length, int32_t batch_size, int32_t snapshots) {
    slot_options options;
    options.context_length = context_length;
    options.batch_size     = batch_size;
    options.snapshots      = snapshots;
    return make_slot(options);
}

decode_costs eager_costs() {
    decode_costs costs;
    for (auto & value : costs.verify) {
        value = 100.0;
    }
    costs.draft_step = 0.1;
    return costs;
}

generation_request fim_request(const std::string & prefix, const std::string & suffix, int32_t max_tokens,
                               const std::string & middle) {
    const auto         fim = *starter_model()->facts().fim;
    generation_request request;
    request.prompt = {fim.file_sep, std::string("src/sum.ts\n"), fim.prefix, prefix, fim.suffix, suffix, fim.middle};
    request.boundaries = {4, 6};
    if (!middle.empty()) {
        request.prompt.emplace_back(middle);
        request.heal = true;
    }
    request.max_tokens = max_tokens;
    return request;
}

generation_result run_on(slot & on, const generation_request & request, const abort_flag & abort) {
    std::string                                    streamed;
    const std::function<void(const std::string &)> on_text = [&](const std::string & text) {
        streamed += text;
    };
    auto result = generation_run(on, request, abort, on_text).execute();
    CHECK_EQUAL(streamed, result.text);
    CHECK_EQUAL(result.tokens.size(), result.log_probabilities.size());
    return result;
}

bool bit_exact() {
    static const bool exact = make_slot(64, 8)->ctx().exact_rows() > 0;
    return exact;
}

bool bit_exact(const std::string & what) {
    if (!bit_exact()) {
        std::cout << "     left out on this backend: " << what << "\n";
    }
    return bit_exact();
}

namespace {

// The largest noise of a row of logits. It occurs where a router's choice changes.
constexpr double MOST_ROW_NOISE = 0.5;

// Statistics of the answers and rows that no test compares by bits.
struct {
    int    answers = 0;
    int    parted  = 0;
    int    tokens  = 0; // before the answers part
    double sum     = 0.0;
    float  largest = 0.0f;
    int    rows    = 0; // of logits or hidden states
    double row_sum = 0.0;
} seen;

} // namespace

bool noise_is_small() {
    if (seen.answers + seen.rows == 0) {
        return true;
    }
    const double mean     = seen.sum / std::max(1, seen.tokens);
    const double row_mean = seen.row_sum / std::max(1, seen.rows);
    std::cout << "     not compared by bits: " << seen.answers << " answers, of which " << seen.parted
              << " parted; log-probabilities of " << seen.tokens << " tokens differ by " << mean << " in the mean, "
              << seen.largest << " at most; " << seen.rows << " rows by " << row_mean << " of their size\n";
    return mean < 0.06 && row_mean < 0.06 && seen.parted * 4 <= seen.answers + 8;
}

std::string difference(const generation_result & got, const generation_result & expected, chosen how) {
    if (bit_exact()) {
        const bool same = got.tokens == expected.tokens && got.log_probabilities == expected.log_probabilities &&
                          got.reason == expected.reason && got.text == expected.text;
        return same ? "" : "'" + got.text + "' instead of '" + expected.text + "'";
    }
    ++seen.answers;
    const size_t common = std::min(got.tokens.size(), expected.tokens.size());
    for (size_t i = 0; i < common; ++i) {
        const float apart = std::abs(got.log_probabilities[i] - expected.log_probabilities[i]);
        const bool  parts = got.tokens[i] != expected.tokens[i];
        if (parts) {
            ++seen.parted;
        } else {
            seen.largest = std::max(seen.largest, apart);
            seen.sum += apart;
            ++seen.tokens;
        }
        if (apart > BATCH_NOISE && (!parts || how == chosen::greedily)) {
            std::ostringstream text;
            text << "'" << got.text << "' instead of '" << expected.text << "'; token " << i << " has "
                 << got.log_probabilities[i] << " instead of " << expected.log_probabilities[i];
            return text.str();
        }
        if (parts) {
            return "";
        }
    }
    if (got.tokens.size() != expected.tokens.size()) {
        // One answer ended and the other continued.
        ++seen.parted;
    } else if (got.reason != expected.reason) {
        return std::string(to_string(got.reason)) + " instead of " + to_string(expected.reason);
    }
    return "";
}

bool same_logits(const float * got, const float * expected, size_t count) {
    if (bit_exact()) {
        return std::equal(got, got + count, expected);
    }
    double apart = 0.0;
    double size  = 0.0;
    for (size_t i = 0; i < count; ++i) {
        apart += (got[i] - expected[i]) * (got[i] - expected[i]);
        size += expected[i] * expected[i];
    }
    const double share = size > 0.0 ? std::sqrt(apart / size) : apart;
    ++seen.rows;
    seen.row_sum += share;
    return share < MOST_ROW_NOISE;
}

bool same_draft(const mtp_draft & got, const mtp_draft & expected) {
    const float noise = bit_exact() ? 0.0f : BATCH_NOISE;
    return got.token == expected.token ? std::abs(got.margin - expected.margin) <= noise
                                       : std::max(got.margin, expected.margin) < noise;
}

} // namespace inkling_test

// Several prompts keep their evaluated state. A return to one costs as little as typing, and changes no answer.
#include "check.h"
#include "engine/base/process_memory.h"
#include "engine/state/swap_policy.h"
#include "slots.h"
#include "tiny_models.h"

#include <algorithm>
#include <random>

using namespace inkling;
using inkling_test::make_slot;
using inkling_test::mtp_of;
using inkling_test::run_on;
using inkling_test::scaled;

namespace {

// Texts of a few hundred tokens that share almost nothing.
std::string file(int number) {
    std::string text = "// module " + std::to_string(number) + "\n";
    for (int line = 0; line < 12; ++line) {
        const std::string name = std::string(1, static_cast<char>('a' + number)) + std::to_string(line * 7 + number);
        text += number % 2 == 0
                    ? "export function read_" + name + "(path: string): number {\n  return " + name + ";\n}\n"
                    : "def write_" + name + "(self, value):\n    self." + name + " = value\n";
    }
    return text;
}

generation_request request_for(int number, const std::string & middle = "") {
    const auto         fim = *inkling_test::starter_model()->facts().fim;
    generation_request request;
    request.prompt     = {fim.prefix, file(number), fim.suffix, std::string("\n"), fim.middle};
    request.boundaries = {2, 4};
    if (!middle.empty()) {
        request.prompt.emplace_back(middle);
        request.heal = true;
    }
    request.max_tokens  = 8;
    request.speculation = speculation_mode::off;
    return request;
}

std::unique_ptr<slot> swapping_slot(std::shared_ptr<const model> loaded, uint64_t budget) {
    inkling_test::slot_options options;
    options.context_length = 1024;
    options.batch_size     = 128;
    options.model          = std::move(loaded);
    options.threads        = 1;
    options.swap_budget    = budget;
    return make_slot(options);
}

void check_switching(const std::shared_ptr<const model> & loaded) {
    const auto                     subject   = swapping_slot(loaded, 64 << 20);
    const auto                     reference = swapping_slot(loaded, 0);
    std::mt19937                   random(7);
    const std::vector<std::string> middles = {"", "const ", "const x", "return v", "ret"};
    for (int step = 0; step < scaled(40); ++step) {
        auto request = request_for(static_cast<int>(random() % 3), middles[random() % middles.size()]);
        if (step % 4 == 3) {
            // A rejected draft leaves a rollback pending when the next switch copies the state.
            request.speculation = speculation_mode::automatic;
            request.draft       = "zzz qqq zzz";
            subject->statistics().set_costs(inkling_test::eager_costs());
        }
        if (step % 7 == 6) {
            request.max_tokens = 0;
        }
        const auto result   = run_on(*subject, request);
        request.speculation = speculation_mode::off;
        reference->forget();
        const auto fresh = run_on(*reference, request);
        CHECK_SAME_ANSWER(result, fresh);
        if (step > 12) {
            CHECK(result.metrics.evaluated_tokens <= 24 + result.metrics.drafted_tokens);
        }
    }
}

swap_plan decide(int32_t keep, int32_t foreign, std::vector<int32_t> swapped, double copy_tokens = 0.0) {
    return choose_swap({keep, foreign, std::move(swapped), copy_tokens});
}

} // namespace

TEST("the policy decides when to swap out and when to swap in") {
    CHECK(!decide(0, 63, {}).swap_out && decide(0, 64, {}).swap_out);
    CHECK(!decide(0, 0, {}).swap_in && !decide(100, 0, {131, 90}).swap_in);
    CHECK_EQUAL(*decide(100, 0, {90, 132, 140, 20}).swap_in, 2u);
    // On a GPU that copies more slowly than it evaluates.
    CHECK(!decide(0, 399, {}, 200.0).swap_out && decide(0, 400, {}, 200.0).swap_out);
    CHECK(!decide(100, 0, {299}, 200.0).swap_in && decide(100, 0, {300}, 200.0).swap_in);
    CHECK_EQUAL(count_foreign({1, 2, 3, 4, 5, 6, 7}, 0, {9, 1, 2, 3, 4, 5, 6, 7}), 0);
    CHECK_EQUAL(count_foreign({1, 2, 3, 4, 5, 6, 7}, 0, {8}), 4);
    CHECK_EQUAL(count_foreign({1, 2, 3, 4, 5, 6, 7}, 7, {8}), 0);
}

TEST("the store keeps its budget, and drops what saves least and then the least recently used") {
    const auto item = [](int32_t tokens, size_t bytes) {
        swapped_prompt made;
        made.copy.tokens.resize(static_cast<size_t>(tokens));
        made.copy.state.resize(bytes - static_cast<size_t>(tokens) * sizeof(token_id));
        return made;
    };
    swap_store store(10'000);
    store.add(item(100, 4'000));
    store.add(item(10, 4'000));
    store.add(item(100, 4'000));
    CHECK_EQUAL(store.items().size(), 2u);
    CHECK_EQUAL(store.items().front().copy.tokens.size(), 100u);
    store.add(item(100, 4'000));
    CHECK_EQUAL(store.items().size(), 2u);
    CHECK_EQUAL(store.items().front().swapped_at, 3u);
    CHECK_EQUAL(store.bytes(slot_kind::completion), 8'000u);
    store.clear(slot_kind::chat);
    CHECK_EQUAL(store.items().size(), 2u);
    store.clear(slot_kind::completion);
    CHECK_EQUAL(store.items().size(), 0u);
}

TEST("where room is short, older prompts lose checkpoints before the store drops them") {
    const auto item = [] {
        swapped_prompt made;
        made.copy.tokens.resize(100);
        made.copy.state.resize(1'000);
        for (int32_t i = 1; i <= 10; ++i) {
            const auto kind = i == 2 ? checkpoint_kind::boundary : checkpoint_kind::completion;
            made.copy.checkpoints.push_back({i * 10, kind, state_copy(1'000)});
        }
        return made;
    };
    const auto counts = [](const swap_store & store) {
        std::vector<size_t> result;
        for (const swapped_prompt & each : store.items()) {
            result.push_back(each.copy.checkpoints.size());
        }
        return result;
    };
    swap_store store(30'000);
    store.add(item());
    store.add(item());
    CHECK(counts(store) == std::vector<size_t>({10, 10}));
    CHECK_EQUAL(store.add(item()).size(), 6u);
    CHECK(counts(store) == std::vector<size_t>({4, 10, 10}));
    CHECK_EQUAL(store.add(item()).size(), 12u);
    CHECK(counts(store) == std::vector<size_t>({4, 4, 4, 10}));
    // One loses checkpoints, another goes.
    CHECK_EQUAL(store.add(item()).size(), 10u);
    CHECK_EQUAL(store.items().size(), 4u);
}

TEST("a return to a prompt costs as little as typing, and answers stay equal to the last bit") {
    check_switching(inkling_test::starter_model());
    for (const std::string & architecture : inkling_test::tiny_architectures()) {
        if (!architecture.ends_with("+window")) {
            check_switching(inkling_test::tiny_model(architecture));
        }
    }
}

TEST("nothing is swapped out of a context with a sliding window, as a copy would lack what is before it") {
    const auto subject = swapping_slot(inkling_test::tiny_model("lfm2+window"), 64 << 20);
    run_on(*subject, request_for(0));
    CHECK(!run_on(*subject, request_for(1)).metrics.swapped_out);
}

TEST("the slot swaps out another text but not an edited one, and keeps its completion") {
    const auto subject = swapping_slot(nullptr, 64 << 20);
    const auto said    = run_on(*subject, request_for(0));
    auto       edited  = request_for(0);
    edited.prompt[1]   = "const added = 1;\n" + file(0);
    CHECK(!run_on(*subject, edited).metrics.swapped_out);
    run_on(*subject, request_for(0));
    CHECK(run_on(*subject, request_for(1)).metrics.swapped_out);
    const auto again = run_on(*subject, request_for(0));
    CHECK(again.metrics.swapped_in);
    CHECK_EQUAL(again.metrics.evaluated_tokens, 0);
    CHECK(again.tokens == said.tokens);
}

TEST("what two prompts share stays evaluated when one of them is swapped out") {
    const auto about = [](int number) {
        auto request = request_for(0);
        request.prompt.insert(request.prompt.begin() + 2, file(number));
        request.boundaries = {2, 5};
        return request;
    };
    for (const std::string name : {"", "qwen35moe+mtp", "mamba2", "qwen2"}) {
        const auto loaded    = name.empty() ? inkling_test::starter_model() : inkling_test::tiny_model(name);
        const auto subject   = swapping_slot(loaded, 64 << 20);
        const auto reference = swapping_slot(loaded, 0);
        const auto both      = [&](const generation_request & request) {
            const auto found = run_on(*subject, request);
            reference->forget();
            CHECK_SAME_ANSWER(found, run_on(*reference, request));
            return found.metrics;
        };
        const int32_t shared = static_cast<int32_t>(subject->loaded_model().tokenize(file(0), false).size());
        CHECK(shared > 100);
        both(about(1));
        const auto second = both(about(2));
        CHECK(second.swapped_out && !second.swapped_in);
        CHECK(second.reused_tokens >= shared);
        const auto back = both(about(1));
        CHECK(back.swapped_in);
        CHECK(back.evaluated_tokens <= 24);
        // The copy has its own way back to what is shared.
        const auto third = both(about(3));
        CHECK(third.swapped_out);
        CHECK(third.reused_tokens >= shared);
        CHECK(both(about(2)).swapped_in);
    }
}

TEST("typing against a suggestion costs as little after a swap out and in as before it") {
    for (const std::string name : {"", "qwen35moe+mtp", "mamba2"}) {
        const auto loaded  = name.empty() ? inkling_test::starter_model() : inkling_test::tiny_model(name);
        const auto subject = swapping_slot(loaded, 64 << 20);
        auto       whole   = request_for(0, "const values = [1, 2, 3, 4].map((value) => value * 2);\n  const ");
        // The completion begins where the prompt ends.
        whole.heal         = false;
        whole.max_tokens   = 64;
        const auto said    = run_on(*subject, whole);
        int32_t    most    = 0;
        for (size_t kept = 0; kept < said.tokens.size(); kept += 5) {
            run_on(*subject, whole);
            CHECK(run_on(*subject, request_for(1)).metrics.swapped_out);
            // This request only evaluates, so the first completion stays for the next round.
            auto against       = whole;
            against.max_tokens = 0;
            for (size_t i = 0; i < kept; ++i) {
                against.prompt.emplace_back(said.tokens[i]);
            }
            against.prompt.emplace_back(token_id{1234});
            const auto result = run_on(*subject, against);
            CHECK(result.metrics.swapped_in);
            most = std::max(most, result.metrics.evaluated_tokens);
        }
        std::cout << "     " << name << ": at most " << most << " tokens evaluated\n";
        // On a GPU, checkpoints are as far apart as their copies pay by the clock: on a busy machine, seldom.
        CHECK(most <= (subject->ctx().on_gpu() ? 64 : 9));
    }
}

TEST("the MTP head returns with its sequence and makes the same drafts") {
    for (const std::string name : {"", "qwen35moe+mtp", "qwen3next+mtp"}) {
        const auto loaded   = name.empty() ? inkling_test::starter_model() : inkling_test::tiny_model(name);
        const auto switched = swapping_slot(loaded, 64 << 20);
        const auto stayed   = swapping_slot(loaded, 64 << 20);
        auto       request  = request_for(0, "return v");
        request.speculation = speculation_mode::automatic;
        // From the second round on, measured times decide how much is drafted.
        request.max_tokens  = 2;
        for (slot * on : {switched.get(), stayed.get()}) {
            on->statistics().set_costs(inkling_test::eager_costs());
            run_on(*on, request);
        }
        auto other        = request_for(1);
        other.speculation = speculation_mode::automatic;
        CHECK(run_on(*switched, other).metrics.swapped_out);
        request.max_tokens = 0;
        CHECK(run_on(*switched, request).metrics.swapped_in);
        const int32_t length = stayed->seq().length();
        CHECK_EQUAL(switched->seq().length(), length);
        CHECK_EQUAL(switched->mtp()->pending(), stayed->mtp()->pending());
        CHECK(switched->mtp()->ready(length) && stayed->mtp()->ready(length));
        const mtp_draft expected = mtp_of(*stayed)->begin_draft(1234, length);
        const mtp_draft found    = mtp_of(*switched)->begin_draft(1234, length);
        CHECK(inkling_test::same_draft(found, expected));
    }
}

TEST("with too small a budget the slot swaps nothing out") {
    const auto subject = swapping_slot(nullptr, 1 << 10);
    run_on(*subject, request_for(0));
    CHECK(!run_on(*subject, request_for(1)).metrics.swapped_out);
    CHECK(!run_on(*subject, request_for(0)).metrics.swapped_in);
}

TEST("a thousand switches use no more memory than a few") {
    const auto  store = std::make_shared<swap_store>(24 << 20);
    slot_params params;
    params.context.context_length  = 1024;
    params.context.threads         = 1;
    params.context.snapshots       = 2;
    params.checkpoint_budget_bytes = 16 << 20;
    params.mtp                     = false;
    params.swap                    = store;
    slot     subject(inkling_test::tiny_model(inkling_test::tiny_architectures().back()), params);
    uint64_t before = 0;
    for (int step = 0; step < scaled(1200); ++step) {
        auto request       = request_for(step % 4);
        request.max_tokens = 1;
        run_on(subject, request);
        CHECK(store->bytes(slot_kind::completion) <= store->budget());
        if (step == scaled(200)) {
            before = process_rss();
        }
    }
    CHECK(!inkling_test::memory_counts("resident memory") || process_rss() < before + (10 << 20));
}

TEST("a prompt that was swapped out before more rows were known to be exact goes on with them") {
    if (!inkling_test::bit_exact("rows that are known to be exact")) {
        return;
    }
    const auto            on     = make_slot(512, 64);
    sequence &            seq    = inkling_test::seq_of(*on);
    constexpr int32_t     PROMPT = 20;
    constexpr int32_t     TYPED  = 5;
    std::vector<token_id> wanted;
    for (int32_t i = 0; i <= PROMPT + TYPED; ++i) {
        wanted.push_back(300 + i);
    }
    seq.set_exact_rows(1);
    seq.append(wanted.data(), PROMPT, logit_rows::none);
    sequence_copy copy = seq.move_out(uint64_t{1} << 30, 0);
    CHECK(!copy.state.empty());
    seq.set_exact_rows(MOST_EXACT_ROWS);
    seq.move_in(std::move(copy));
    seq.append(wanted.data() + PROMPT, TYPED, logit_rows::none);
    CHECK_EQUAL(seq.plan(wanted, {PROMPT}).keep, PROMPT + TYPED);
}

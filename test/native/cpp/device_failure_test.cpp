// A GPU that fails: no answer rests on what it did not compute, and the engine goes on with a new context.
#include "check.h"
#include "fake_gpu.h"
#include "slots.h"
#include "tiny_models.h"
#include "waiting.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <future>
#include <utility>
#include <vector>

using namespace inkling;
using inkling_test::eager_costs;
using inkling_test::error_code_of;
using inkling_test::fim_request;
using inkling_test::load_and_wait;
using inkling_test::make_slot;
using inkling_test::request_for;
using inkling_test::run_on;
using inkling_test::seq_of;
using inkling_test::slot_options;
using inkling_test::tiny;
namespace gpu = inkling_test::fake_gpu;

namespace {

const std::string PREFIX = "export const numbers = [1, 2, 3, 4, 5, 6, 7, ";
const std::string SUFFIX = "];\n";

bool installed() {
    if (!gpu::installed()) {
        std::cout << "     left out: set INKLING_TEST_GPU to fake, on a machine without a GPU\n";
    }
    return gpu::installed();
}

generation_request plain_request(int32_t max_tokens = 12) {
    auto request        = fim_request(PREFIX, SUFFIX, max_tokens);
    request.speculation = speculation_mode::off;
    return request;
}

struct outcome {
    std::string       code; // of the error; empty on success
    std::string       streamed;
    generation_result result;
};

outcome generate(engine & on, const generation_request & request) {
    outcome            got;
    std::promise<void> end;
    on.generate(request,
                {[&](const std::string & text) { got.streamed += text; },
                 [&](const generation_result & result) {
                     got.result = result;
                     end.set_value();
                 },
                 [&](const engine_error & error) {
                     got.code = to_string(error.code());
                     end.set_value();
                 }},
                std::make_shared<abort_flag>());
    end.get_future().wait();
    return got;
}

// Waits for what the engine does by itself: a calibration would take the failure that is meant for a generation.
void wait_for_background_work(engine & on) {
    std::promise<void> end;
    on.inspect_keys(
        {PREFIX}, [&](const key_vectors &) { end.set_value(); }, [&](const engine_error &) { end.set_value(); });
    end.get_future().wait();
}

// Which of `count` graphs fail, counted from one: the first, the last, and at full scale each between them. In shorter
// runs they are evenly spread.
std::vector<int> failing_graphs(int count) {
    const int        chosen = std::max(3, inkling_test::scaled(count));
    std::vector<int> failing;
    for (int i = 0; i < chosen; ++i) {
        failing.push_back(1 + i * (count - 1) / (chosen - 1));
    }
    return failing;
}

// The number of graphs that `work` computes.
template <typename work> int graphs_of(const work & call) {
    const size_t before = gpu::graphs().size();
    call();
    return static_cast<int>(gpu::graphs().size() - before);
}

} // namespace

TEST("whichever graph fails, a generation throws, says nothing wrong before, and leaves nothing behind") {
    if (!installed()) {
        return;
    }
    for (const auto & options : {slot_options{}, tiny("qwen2"), tiny("lfm2")}) {
        for (const speculation_mode mode : {speculation_mode::off, speculation_mode::automatic}) {
            auto request        = plain_request();
            request.speculation = mode;
            const auto answer   = [&](slot & on, std::string & streamed) {
                on.statistics().set_costs(eager_costs());
                const std::function<void(const std::string &)> on_text = [&](const std::string & text) {
                    streamed += text;
                };
                return generation_run(on, request, {}, on_text).execute();
            };
            // Measured times decide how a prompt is divided (gpu_pace.h), so an answer may take a graph fewer than
            // another.
            std::string expected;
            int         graphs = INT_MAX;
            for (int run = 0; run < 3; ++run) {
                expected.clear();
                graphs = std::min(graphs, graphs_of([&] { answer(*make_slot(options), expected); }));
            }
            CHECK(graphs > 2);
            for (const int n : failing_graphs(graphs)) {
                std::unique_ptr<slot> on;
                std::string           streamed;
                std::string           code;
                int                   taken = 0;
                for (int attempt = 0; attempt < 5 && taken < n; ++attempt) {
                    on = make_slot(options);
                    streamed.clear();
                    gpu::fail_at(n, gpu::scope::backend, n % 2 == 0 ? gpu::report::log : gpu::report::exception);
                    taken = graphs_of([&] { code = error_code_of([&] { answer(*on, streamed); }); });
                    gpu::recover();
                }
                CHECK_EQUAL(code, "deviceFailed");
                CHECK(expected.starts_with(streamed));
                CHECK(on->seq().length() == 0 || mode == speculation_mode::automatic);
            }
        }
    }
    gpu::recover();
}

TEST("a batch that fails leaves no token and no checkpoint") {
    if (!installed()) {
        return;
    }
    for (const auto & options : {slot_options{}, tiny("qwen2")}) {
        const auto on = make_slot(options);
        run_on(*on, plain_request());
        gpu::fail_at(1);
        const token_id token = 1;
        CHECK_EQUAL(error_code_of([&] { seq_of(*on).append(&token, 1, logit_rows::last); }), "deviceFailed");
        CHECK_EQUAL(on->seq().length(), 0);
        CHECK_EQUAL(on->seq().checkpoints().lengths().size(), 0u);
    }
    gpu::recover();
}

TEST("a calibration that fails throws") {
    if (!installed()) {
        return;
    }
    const auto on = make_slot(slot_options{});
    gpu::fail_at(1);
    CHECK_EQUAL(error_code_of([&] { on->calibrate({}); }), "deviceFailed");
    gpu::recover();
}

// Counted in graphs, which this device does.
TEST("a release waits for one step of a calibration, not for all of it") {
    if (!installed()) {
        return;
    }
    std::atomic<bool>    loaded{false};
    std::promise<size_t> waited;
    engine               subject;
    gpu::before_graph([&, asked = false]() mutable {
        if (!loaded || std::exchange(asked, true)) {
            return;
        }
        const size_t before = gpu::graphs().size();
        subject.release(release_target::swapped, [&, before] { waited.set_value(gpu::graphs().size() - before); });
    });
    CHECK_EQUAL(load_and_wait(subject, request_for(512)), "");
    loaded              = true;
    const size_t graphs = waited.get_future().get();
    subject.close();
    gpu::before_graph({});
    CHECK(graphs <= 2);
    if (graphs > 2) {
        std::cout << "     it waited for " << graphs << " graphs\n";
    }
}

TEST("after a failure the next generation starts on a new backend and answers like a fresh engine") {
    if (!installed()) {
        return;
    }
    const size_t buffers = gpu::buffers();
    {
        engine fresh;
        CHECK_EQUAL(load_and_wait(fresh, request_for(512)), "");
        const outcome expected = generate(fresh, plain_request());
        CHECK_EQUAL(expected.code, "");

        engine subject;
        CHECK_EQUAL(load_and_wait(subject, request_for(512)), "");
        CHECK_EQUAL(generate(subject, plain_request()).code, "");
        const size_t backends = gpu::backends();
        for (const int n : {1, 3}) {
            // Another prompt, since the answer to the same one costs nothing.
            auto other   = plain_request();
            other.prompt = {PREFIX + std::to_string(n)};
            other.boundaries.clear();
            wait_for_background_work(subject);
            gpu::fail_at(n);
            const outcome failed = generate(subject, other);
            CHECK_EQUAL(failed.code, "deviceFailed");
            CHECK_EQUAL(subject.memory().completion.kv, 0u);

            const outcome next = generate(subject, plain_request());
            CHECK_EQUAL(next.code, "");
            CHECK_EQUAL(next.result.metrics.reused_tokens, 0);
            CHECK(next.result.tokens == expected.result.tokens);
            CHECK(next.result.log_probabilities == expected.result.log_probabilities);
            CHECK(gpu::backends() > backends);
        }
    }
    gpu::recover();
    CHECK_EQUAL(gpu::buffers(), buffers);
}

TEST("a device that fails again in a new context is lost, until it computes again") {
    if (!installed()) {
        return;
    }
    engine subject;
    CHECK_EQUAL(load_and_wait(subject, request_for(512)), "");
    for (const gpu::report how : {gpu::report::log, gpu::report::exception}) {
        wait_for_background_work(subject);
        gpu::fail_at(1, gpu::scope::device, how);
        CHECK_EQUAL(generate(subject, plain_request()).code, "deviceFailed");
        CHECK_EQUAL(generate(subject, plain_request()).code, "deviceLost");
        CHECK_EQUAL(generate(subject, plain_request()).code, "deviceLost");
        gpu::recover();
        CHECK_EQUAL(generate(subject, plain_request()).code, "");
        // The next failure is the first one again.
        wait_for_background_work(subject);
        gpu::fail_at(1);
        auto longer = plain_request(16);
        longer.prompt.emplace_back(std::string("8, "));
        CHECK_EQUAL(generate(subject, longer).code, "deviceFailed");
        CHECK_EQUAL(generate(subject, plain_request()).code, "");
        CHECK_EQUAL(inkling_test::release_and_wait(subject, release_target::completion), "");
    }
}

TEST("the other slot keeps what it holds") {
    if (!installed()) {
        return;
    }
    engine subject;
    CHECK_EQUAL(load_and_wait(subject, request_for(512)), "");
    CHECK_EQUAL(generate(subject, plain_request()).code, "");
    generation_request chat = plain_request();
    chat.slot               = slot_kind::chat;
    wait_for_background_work(subject);
    gpu::fail_at(2);
    CHECK_EQUAL(generate(subject, chat).code, "deviceFailed");
    generation_request longer = plain_request();
    longer.prompt.emplace_back(std::string("8, "));
    const outcome next = generate(subject, longer);
    CHECK_EQUAL(next.code, "");
    CHECK(next.result.metrics.reused_tokens > 0);
    CHECK_EQUAL(generate(subject, chat).code, "");
}

TEST("a slot that failed goes with the last generation on it") {
    if (!installed()) {
        return;
    }
    slot_set_params params;
    params.context.context_length = 256;
    params.context.threads        = 1;
    slot_set slots(inkling_test::starter_model(), params);
    {
        const slot_set::use outer(slots, slot_kind::completion);
        {
            const slot_set::use inner(slots, slot_kind::completion);
            CHECK(slots.give_up(slot_kind::completion));
            CHECK(!slots.give_up(slot_kind::completion));
        }
        CHECK(slots.find(slot_kind::completion) != nullptr);
    }
    CHECK(slots.find(slot_kind::completion) == nullptr);
}

TEST("a load that fails on the device says so, and a later one works") {
    if (!installed()) {
        return;
    }
    engine subject;
    gpu::fail_at(1);
    CHECK(load_and_wait(subject, request_for(512)).starts_with("deviceFailed: "));
    CHECK_EQUAL(load_and_wait(subject, request_for(512)), "");
    CHECK_EQUAL(generate(subject, plain_request()).code, "");
    gpu::recover();
}

TEST("a device without memory for another graph computes in that of the usual one") {
    if (!installed()) {
        return;
    }
    for (const std::string name : {"qwen2", "qwen35moe+mtp"}) {
        const auto    fresh  = make_slot(tiny(name));
        const auto    on     = make_slot(tiny(name));
        const int32_t size   = on->loaded_model().facts().vocabulary_size;
        const auto    append = [&](slot & to, int32_t count) {
            std::vector<token_id> tokens;
            for (int32_t i = 0; i < count; ++i) {
                tokens.push_back(300 + (seq_of(to).length() + i) * 37 % 5000);
            }
            CHECK(to.append(tokens.data(), count, logit_rows::all, {}));
            return std::vector<float>(to.ctx().logits(-1), to.ctx().logits(-1) + size);
        };
        const auto same = [&](int32_t count) {
            CHECK(append(*on, count) == append(*fresh, count));
        };
        same(2);
        // Of the lengths that follow, some have a graph already, which may need more memory as the text grows.
        for (int32_t round = 0; round < 100; ++round) {
            gpu::refuse_buffers(true);
            const std::vector<float> got = append(*on, 1 + round % 7);
            gpu::refuse_buffers(false);
            CHECK(got == append(*fresh, 1 + round % 7));
        }
    }
}

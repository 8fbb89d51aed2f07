#include "check.h"

#include <chrono>
#include <future>
#include <thread>

using namespace inkling;
using inkling_test::error_code_of;

namespace {

load_request starter_request() {
    load_request request;
    request.model.path             = inkling_test::model_path();
    request.context.context_length = 512;
    request.context.batch_size     = 32;
    return request;
}

// "" on success, otherwise the error's code.
std::string load_and_wait(engine & target, load_request request) {
    std::promise<std::string> outcome;
    target.load(std::move(request), {nullptr, [&](const loaded_facts &) { outcome.set_value(""); },
                                     [&](const engine_error & error) {
                                         outcome.set_value(to_string(error.code()));
                                     }});
    return outcome.get_future().get();
}

generation_request long_request() {
    generation_request request;
    request.prompt     = {std::string("export const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, ")};
    request.max_tokens = 400;
    return request;
}

struct outcome {
    std::promise<std::string> reason;

    generation_callbacks callbacks(std::function<void(const std::string &)> text = [](const std::string &) {}) {
        return {std::move(text),
                [this](const generation_result & result) { reason.set_value(to_string(result.reason)); },
                [this](const engine_error & error) {
                    reason.set_value(to_string(error.code()));
                }};
    }
};

} // namespace

TEST("load, generate, measure, close") {
    engine subject;
    CHECK(!subject.facts().has_value());
    CHECK_EQUAL(load_and_wait(subject, starter_request()), "");
    CHECK_EQUAL(subject.facts()->context_length, 512);
    CHECK(subject.memory().weights > 30'000'000);
    CHECK(subject.memory().kv > 0 && subject.memory().recurrent > 0 && subject.memory().compute > 0);

    outcome end;
    subject.generate(long_request(), end.callbacks(), std::make_shared<abort_flag>());
    end.reason.get_future().wait();
    CHECK(subject.last_metrics()->generated_tokens > 0);
    subject.close();
    CHECK_EQUAL(subject.memory().weights, 0u);
}

TEST("a second load is refused while one runs and after it") {
    engine                    subject;
    std::promise<std::string> first;
    subject.load(starter_request(), {nullptr, [&](const loaded_facts &) { first.set_value(""); },
                                     [&](const engine_error & error) {
                                         first.set_value(to_string(error.code()));
                                     }});
    CHECK_EQUAL(error_code_of([&] { load_and_wait(subject, starter_request()); }), "alreadyLoaded");
    CHECK_EQUAL(first.get_future().get(), "");
    CHECK_EQUAL(error_code_of([&] { load_and_wait(subject, starter_request()); }), "alreadyLoaded");
}

TEST("a failed or cancelled load leaves the engine ready for another") {
    engine       subject;
    load_request missing = starter_request();
    missing.model.path   = "/nowhere.gguf";
    CHECK_EQUAL(load_and_wait(subject, missing), "fileNotFound");

    std::promise<std::string> cancelled;
    load_request              request = starter_request();
    subject.load(request,
                 {[&](float) { subject.cancel_load(); }, [&](const loaded_facts &) { cancelled.set_value(""); },
                  [&](const engine_error & error) {
                      cancelled.set_value(to_string(error.code()));
                  }});
    CHECK_EQUAL(cancelled.get_future().get(), "loadCancelled");
    CHECK_EQUAL(load_and_wait(subject, starter_request()), "");
}

TEST("an abort ends what runs and what waits") {
    engine subject;
    load_and_wait(subject, starter_request());
    outcome    running;
    outcome    waiting;
    const auto running_abort = std::make_shared<abort_flag>();
    const auto waiting_abort = std::make_shared<abort_flag>();
    subject.generate(long_request(), running.callbacks([&](const std::string &) { running_abort->set(); }),
                     running_abort);
    subject.generate(long_request(), waiting.callbacks(), waiting_abort);
    waiting_abort->set();
    CHECK_EQUAL(running.reason.get_future().get(), "aborted");
    CHECK_EQUAL(waiting.reason.get_future().get(), "aborted");
}

TEST("close ends a generation, a queue and a load, and everything afterwards says closed") {
    engine subject;
    load_and_wait(subject, starter_request());
    outcome            running;
    outcome            waiting;
    std::promise<void> started;
    bool               told = false;
    subject.generate(long_request(), running.callbacks([&](const std::string &) {
        if (!told) {
            told = true;
            started.set_value();
        }
    }),
                     std::make_shared<abort_flag>());
    subject.generate(long_request(), waiting.callbacks(), std::make_shared<abort_flag>());
    started.get_future().wait();
    subject.close();
    subject.close();
    CHECK_EQUAL(running.reason.get_future().get(), "aborted");
    CHECK_EQUAL(waiting.reason.get_future().get(), "aborted");
    outcome after;
    CHECK_EQUAL(
        error_code_of([&] { subject.generate(long_request(), after.callbacks(), std::make_shared<abort_flag>()); }),
        "closed");
    CHECK_EQUAL(error_code_of([&] { load_and_wait(subject, starter_request()); }), "closed");
    CHECK(subject.loaded_model() == nullptr);

    engine                    loading;
    std::promise<std::string> load_outcome;
    loading.load(starter_request(), {nullptr, [&](const loaded_facts &) { load_outcome.set_value(""); },
                                     [&](const engine_error & error) {
                                         load_outcome.set_value(to_string(error.code()));
                                     }});
    loading.close();
    const std::string code = load_outcome.get_future().get();
    CHECK(code == "loadCancelled" || code.empty());
}

TEST("generating without a model says so") {
    engine  subject;
    outcome end;
    CHECK_EQUAL(
        error_code_of([&] { subject.generate(long_request(), end.callbacks(), std::make_shared<abort_flag>()); }),
        "notLoaded");
}

TEST("a model without FIM tokens is refused only where FIM is required") {
    // The starter model has them; asking for the opposite is covered from JavaScript, where a GGUF can be edited.
    engine       subject;
    load_request request      = starter_request();
    request.model.require_fim = false;
    CHECK_EQUAL(load_and_wait(subject, request), "");
}

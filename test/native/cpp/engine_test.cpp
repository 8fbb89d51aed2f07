#include "check.h"
#include "slots.h"
#include "waiting.h"

#include "engine/base/engine_thread.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

using namespace inkling;
using inkling_test::error_code_of;
using inkling_test::release_and_wait;
using inkling_test::scaled;

namespace {

load_request starter_request() {
    load_request request             = inkling_test::request_for(512);
    request.slots.context.batch_size = 32;
    return request;
}

// "" on success, otherwise the error code.
std::string load_outcome(engine & target, load_request request, const std::function<void(float)> & progress = nullptr) {
    const std::string outcome = inkling_test::load_and_wait(target, std::move(request), progress);
    return outcome.substr(0, outcome.find(':'));
}

generation_request long_request() {
    generation_request request;
    request.prompt     = {std::string("export const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, ")};
    request.max_tokens = scaled(400);
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
    CHECK_EQUAL(load_outcome(subject, starter_request()), "");
    CHECK_EQUAL(subject.facts()->context_length, 512);
    CHECK(subject.memory().weights > 30'000'000);
    CHECK(subject.memory().completion.kv > 0 && subject.memory().completion.recurrent > 0);

    outcome end;
    subject.generate(long_request(), end.callbacks(), std::make_shared<abort_flag>());
    end.reason.get_future().wait();
    subject.close();
    CHECK_EQUAL(subject.memory().weights, 0u);
}

TEST("the engine refuses a second load while one runs and after it") {
    engine                    subject;
    std::promise<std::string> first;
    subject.load(starter_request(), {nullptr, [&](const loaded_facts &) { first.set_value(""); },
                                     [&](const engine_error & error) {
                                         first.set_value(to_string(error.code()));
                                     }});
    CHECK_EQUAL(error_code_of([&] { load_outcome(subject, starter_request()); }), "alreadyLoaded");
    CHECK_EQUAL(first.get_future().get(), "");
    CHECK_EQUAL(error_code_of([&] { load_outcome(subject, starter_request()); }), "alreadyLoaded");
}

TEST("a failed or cancelled load leaves the engine ready for another") {
    engine       subject;
    load_request missing = starter_request();
    missing.model.path   = "/nowhere.gguf";
    CHECK_EQUAL(load_outcome(subject, missing), "fileNotFound");

    CHECK_EQUAL(load_outcome(subject, starter_request(), [&](float) { subject.cancel_load(); }), "loadCancelled");
    CHECK_EQUAL(load_outcome(subject, starter_request()), "");
}

TEST("a load reports that it gets on while its slot is prepared, and is cancelled there") {
    int  wholes      = 0;
    auto read        = starter_request().model;
    read.on_progress = [&](float fraction) {
        wholes += fraction >= 1.0f ? 1 : 0;
        return true;
    };
    model::load(read);
    const int of_file = std::exchange(wholes, 0);

    // The first report that does not come from reading the file.
    engine     subject;
    const auto cancelled = load_outcome(subject, starter_request(), [&](float fraction) {
        if (fraction >= 1.0f && ++wholes == of_file + 1) {
            subject.cancel_load();
        }
    });
    CHECK_EQUAL(cancelled, "loadCancelled");
    CHECK_EQUAL(wholes, of_file + 1);
    CHECK_EQUAL(load_outcome(subject, starter_request()), "");
}

TEST("an abort ends a running and a waiting generation") {
    engine subject;
    load_outcome(subject, starter_request());
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

TEST("close ends a generation, a queue and a load, and later calls report closed") {
    engine subject;
    load_outcome(subject, starter_request());
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
    CHECK_EQUAL(error_code_of([&] { load_outcome(subject, starter_request()); }), "closed");
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

namespace {

// Records the order in which generations end.
struct ordered {
    std::mutex               mutex;
    std::vector<std::string> ends;

    generation_callbacks callbacks(
        const std::string & name, outcome & end, std::function<void()> started = [] {}) {
        auto result = end.callbacks([started = std::move(started), told = false](const std::string &) mutable {
            if (!told) {
                told = true;
                started();
            }
        });
        result.done = [this, name, done = result.done](const generation_result & value) {
            {
                const std::lock_guard<std::mutex> lock(mutex);
                ends.push_back(name);
            }
            done(value);
        };
        return result;
    }
};

generation_request short_request() {
    generation_request request;
    request.prompt     = {std::string("def mean(values):\n    ")};
    request.max_tokens = 4;
    return request;
}

generation_request at(generation_request request, slot_kind slot, job_priority priority) {
    request.slot     = slot;
    request.priority = priority;
    return request;
}

} // namespace

TEST("completion precedes chat and chat precedes background work, and each interrupts running work") {
    engine subject;
    load_outcome(subject, starter_request());
    ordered order;
    outcome background;
    outcome chat;
    outcome waiting;
    outcome completion;
    // Each job is posted once the previous one has started, so that it finds that one running.
    subject.generate(
        at(long_request(), slot_kind::completion, job_priority::background),
        order.callbacks("background", background,
                        [&] {
                            subject.generate(at(short_request(), slot_kind::completion, job_priority::background),
                                             order.callbacks("waiting", waiting), std::make_shared<abort_flag>());
                            subject.generate(at(long_request(), slot_kind::chat, job_priority::chat),
                                             order.callbacks("chat", chat,
                                                             [&] {
                                                                 subject.generate(
                                                                     short_request(),
                                                                     order.callbacks("completion", completion),
                                                                     std::make_shared<abort_flag>());
                                                             }),
                                             std::make_shared<abort_flag>());
                        }),
        std::make_shared<abort_flag>());
    for (outcome * each : {&background, &chat, &waiting, &completion}) {
        each->reason.get_future().wait();
    }
    CHECK(order.ends == std::vector<std::string>({"completion", "chat", "background", "waiting"}));
    CHECK(subject.memory().chat.kv > 0 && subject.memory().completion.kv > 0);
    CHECK_EQUAL(subject.memory().chat.total() + subject.memory().completion.total() + subject.memory().weights +
                    subject.memory().mtp_weights + subject.memory().vocabulary,
                subject.memory().total());
}

TEST("a waiting generation that is aborted ends before the one that it waits for") {
    engine subject;
    load_outcome(subject, starter_request());
    ordered    order;
    outcome    running;
    outcome    waiting;
    const auto abort = std::make_shared<abort_flag>();
    subject.generate(long_request(),
                     order.callbacks("running", running,
                                     [&] {
                                         subject.generate(at(long_request(), slot_kind::chat, job_priority::background),
                                                          order.callbacks("waiting", waiting), abort);
                                         abort->set();
                                     }),
                     std::make_shared<abort_flag>());
    CHECK_EQUAL(waiting.reason.get_future().get(), "aborted");
    running.reason.get_future().wait();
    CHECK(order.ends == std::vector<std::string>({"waiting", "running"}));
    CHECK_EQUAL(subject.memory().chat.total(), 0u);
}

TEST("close during a preemption ends both generations") {
    engine subject;
    load_outcome(subject, starter_request());
    outcome            background;
    outcome            completion;
    std::promise<void> nested;
    subject.generate(at(long_request(), slot_kind::completion, job_priority::background), background.callbacks(),
                     std::make_shared<abort_flag>());
    bool told = false;
    subject.generate(long_request(), completion.callbacks([&](const std::string &) {
        if (!told) {
            told = true;
            nested.set_value();
        }
    }),
                     std::make_shared<abort_flag>());
    nested.get_future().wait();
    bool released = false;
    subject.release(release_target::completion, [&] { released = true; });
    subject.close();
    CHECK_EQUAL(completion.reason.get_future().get(), "aborted");
    const std::string reason = background.reason.get_future().get();
    CHECK_EQUAL(reason, "aborted");
    CHECK(released);
}

TEST("the engine creates released memory again, and answers stay the same") {
    engine subject;
    load_outcome(subject, starter_request());
    const auto run = [&](slot_kind slot) {
        std::promise<std::string> text;
        subject.generate(at(short_request(), slot, job_priority::completion),
                         {[](const std::string &) {},
                          [&](const generation_result & result) { text.set_value(result.text); },
                          [&](const engine_error & error) {
                              text.set_value(error.what());
                          }},
                         std::make_shared<abort_flag>());
        return text.get_future().get();
    };
    const std::string expected = run(slot_kind::completion);
    CHECK_EQUAL(run(slot_kind::chat), expected);
    const memory_report full = subject.memory();
    CHECK(full.slots().checkpoints > 0 && full.chat.total() > 0);

    CHECK_EQUAL(release_and_wait(subject, release_target::checkpoints), "");
    CHECK_EQUAL(subject.memory().slots().checkpoints, 0u);
    CHECK_EQUAL(release_and_wait(subject, release_target::chat), "");
    CHECK_EQUAL(subject.memory().chat.total(), 0u);
    CHECK_EQUAL(release_and_wait(subject, release_target::completion), "");
    CHECK_EQUAL(subject.memory().completion.total(), 0u);
    CHECK_EQUAL(subject.memory().weights, full.weights);

    CHECK_EQUAL(run(slot_kind::chat), expected);
    CHECK_EQUAL(run(slot_kind::completion), expected);
    CHECK_EQUAL(subject.memory().chat.kv, full.chat.kv);
}

TEST("generating without a model reports an error") {
    engine  subject;
    outcome end;
    CHECK_EQUAL(
        error_code_of([&] { subject.generate(long_request(), end.callbacks(), std::make_shared<abort_flag>()); }),
        "notLoaded");
    CHECK_EQUAL(error_code_of([&] { subject.release(release_target::chat, [] {}); }), "notLoaded");
}

TEST("the engine refuses a model without FIM tokens only where FIM is required") {
    // The starter model has FIM tokens. The JavaScript tests edit a GGUF file to cover a model without them.
    engine       subject;
    load_request request      = starter_request();
    request.model.require_fim = false;
    CHECK_EQUAL(load_outcome(subject, request), "");
}

TEST("the engine's thread rests when it has nothing to do, and only then") {
    std::atomic<int>   rests = 0;
    std::promise<void> begun;
    std::promise<void> queued;
    std::promise<int>  seen;
    {
        engine_thread thread([&] { ++rests; });
        thread.post(job_priority::completion, [&] {
            begun.set_value();
            queued.get_future().wait();
        });
        begun.get_future().wait();
        const int before = rests;
        thread.post(job_priority::background, [&] { seen.set_value(rests); });
        queued.set_value();
        CHECK_EQUAL(seen.get_future().get(), before);
    }
    engine_thread thread([&] { ++rests; });
    thread.post(job_priority::completion, [&] { rests = 0; });
    while (rests == 0) {
        std::this_thread::yield();
    }
    CHECK(rests > 0);
}

TEST("a job for a pause runs once, after every other job, and is dropped when the thread ends") {
    using namespace std::chrono_literals;
    std::string        order;
    std::promise<void> done;
    {
        engine_thread thread;
        thread.post(job_priority::completion, [&] {
            thread.post_at_rest(0ms, [&] { order += "replaced "; });
            thread.post_at_rest(0ms, [&] {
                order += "rest ";
                thread.post(job_priority::background, [&] {
                    order += "after ";
                    done.set_value();
                });
            });
            thread.post(job_priority::background, [&] { order += "queued "; });
        });
        done.get_future().wait();
    }
    CHECK_EQUAL(order, "queued rest after ");
    {
        engine_thread thread;
        thread.post(job_priority::completion, [&] { thread.post_at_rest(1h, [&] { order += "never"; }); });
    }
    CHECK_EQUAL(order, "queued rest after ");
}

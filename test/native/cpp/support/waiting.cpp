#include "waiting.h"

#include "check.h"

#include <chrono>
#include <future>
#include <utility>

using namespace inkling;

namespace inkling_test {

load_request request_for(int32_t context_length) {
    load_request request;
    request.model.path                   = model_path();
    request.slots.context.context_length = context_length;
    request.slots.context.threads        = slot_threads(1);
    return request;
}

generation_request long_request(int32_t prompt_tokens) {
    generation_request request;
    for (int32_t i = 0; i < prompt_tokens; ++i) {
        request.prompt.emplace_back(token_id{300 + (i * 7919) % 15000});
    }
    request.max_tokens  = 16;
    request.speculation = speculation_mode::optimistic;
    return request;
}

std::string load_and_wait(engine & target, load_request request, const std::function<void(float)> & progress) {
    std::promise<std::string> outcome;
    target.load(std::move(request), {progress, [&](const loaded_facts &) { outcome.set_value(""); },
                                     [&](const engine_error & error) {
                                         outcome.set_value(std::string(to_string(error.code())) + ": " + error.what());
                                     }});
    return outcome.get_future().get();
}

void generate_and_wait(engine & on, const generation_request & request) {
    std::promise<void> end;
    on.generate(request,
                {[](const std::string &) {}, [&](const generation_result &) { end.set_value(); },
                 [&](const engine_error & error) {
                     fail(__FILE__, __LINE__, error.what());
                     end.set_value();
                 }},
                std::make_shared<abort_flag>());
    end.get_future().wait();
}

std::string release_and_wait(engine & subject, release_target what) {
    std::promise<void> released;
    subject.release(what, [&] { released.set_value(); });
    const bool done = released.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready;
    return done ? "" : "not released";
}

} // namespace inkling_test

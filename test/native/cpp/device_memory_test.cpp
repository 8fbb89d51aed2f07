// On a machine with a GPU that the engine was built for: what the report says of it is what it has less to spare, and
// all of it comes back.
#include "check.h"

#include "ggml-backend.h"

#include <algorithm>
#include <future>

using namespace inkling;

namespace {

constexpr uint64_t MIB = 1 << 20;

uint64_t spare(ggml_backend_dev_t device) {
    size_t free  = 0;
    size_t total = 0;
    ggml_backend_dev_memory(device, &free, &total);
    return free;
}

load_request request_for(int32_t context_length) {
    load_request request;
    request.model.path                   = inkling_test::model_path();
    request.lanes.context.context_length = context_length;
    return request;
}

void load(engine & subject, const load_request & request) {
    std::promise<std::string> outcome;
    subject.load(request, {nullptr, [&](const loaded_facts &) { outcome.set_value(""); },
                           [&](const engine_error & error) {
                               outcome.set_value(error.what());
                           }});
    CHECK_EQUAL(outcome.get_future().get(), std::string());
}

void generate(engine & on, int32_t prompt_tokens, lane_kind lane) {
    generation_request request;
    for (int32_t i = 0; i < prompt_tokens; ++i) {
        request.prompt.emplace_back(token_id{300 + (i * 7919) % 15000});
    }
    request.max_tokens  = 16;
    request.lane        = lane;
    request.speculation = speculation_mode::optimistic; // also runs the MTP head
    std::promise<std::string> end;
    on.generate(request,
                {[](const std::string &) {}, [&](const generation_result &) { end.set_value(""); },
                 [&](const engine_error & error) {
                     end.set_value(error.what());
                 }},
                std::make_shared<abort_flag>());
    CHECK_EQUAL(end.get_future().get(), std::string());
}

void release(engine & on, release_target what) {
    std::promise<void> released;
    on.release(what, [&] { released.set_value(); });
    released.get_future().wait();
}

uint64_t reported(const engine & on, ggml_backend_dev_t device) {
    for (const device_memory & each : on.memory().devices) {
        if (each.name == ggml_backend_dev_name(device)) {
            return each.weights + each.context + each.compute;
        }
    }
    return 0;
}

// What a backend keeps for itself beside what was asked for: pools and workspaces of its libraries, of both contexts.
constexpr uint64_t OWN_NEEDS = 64 * MIB;
// Small buffers share a page with what was there before.
constexpr uint64_t PAGES     = 4 * MIB;

} // namespace

TEST("what is reported of a GPU is what it has less to spare, and it all comes back") {
    ggml_backend_dev_t gpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_GPU);
    if (gpu == nullptr) {
        std::cout << "     left out: no GPU, or not built for one\n";
        return;
    }
    {
        // Kernels and the driver's own state are there from the first use on, and stay.
        engine first;
        load(first, request_for(512));
        generate(first, 256, lane_kind::completion);
    }
    const uint64_t before = spare(gpu);
    for (int round = 0; round < 2; ++round) {
        engine     subject;
        const auto check = [&](const char * when) {
            const uint64_t taken = before - std::min(before, spare(gpu));
            const uint64_t said  = reported(subject, gpu);
            std::cout << "     " << when << ": " << ggml_backend_dev_name(gpu) << " reports " << said / MIB
                      << " MiB, spares " << taken / MIB << " MiB less\n";
            CHECK(said <= taken + PAGES);
            CHECK(taken <= said + OWN_NEEDS);
        };
        load(subject, request_for(8192));
        CHECK(reported(subject, gpu) >= subject.facts()->model.weights_bytes / 2);
        check("after the load");
        generate(subject, 256, lane_kind::completion);
        check("after 256 tokens");
        generate(subject, 6000, lane_kind::completion);
        check("after 6000 tokens");
        generate(subject, 1000, lane_kind::chat);
        check("with a chat");
        release(subject, release_target::chat);
        check("without the chat");
        release(subject, release_target::completion);
        check("without contexts");
        CHECK(reported(subject, gpu) >= subject.facts()->model.weights_bytes / 2);
        subject.close();
        const uint64_t left = before - std::min(before, spare(gpu));
        std::cout << "     after unloading " << left / MIB << " MiB less\n";
        CHECK(left <= 8 * MIB);
    }
}

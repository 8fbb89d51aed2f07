// On a machine with a supported GPU: the report equals the drop in free GPU memory, and closing frees all of it.
#include "check.h"
#include "waiting.h"

#include "ggml-backend.h"

#include <algorithm>

using namespace inkling;
using inkling_test::generate_and_wait;
using inkling_test::load_and_wait;
using inkling_test::long_request;
using inkling_test::release_and_wait;
using inkling_test::request_for;

namespace {

constexpr uint64_t MIB = 1 << 20;

uint64_t spare(ggml_backend_dev_t device) {
    size_t free  = 0;
    size_t total = 0;
    ggml_backend_dev_memory(device, &free, &total);
    return free;
}

uint64_t reported(const engine & on, ggml_backend_dev_t device) {
    for (const device_memory & each : on.memory().devices) {
        if (each.name == ggml_backend_dev_name(device)) {
            return each.weights + each.context + each.compute;
        }
    }
    return 0;
}

// A backend also allocates pools and workspaces of its libraries, for both contexts.
constexpr uint64_t OWN_NEEDS = 64 * MIB;
// Small buffers share a page with earlier ones.
constexpr uint64_t PAGES     = 4 * MIB;

} // namespace

TEST("the reported GPU memory equals the drop in free memory, and closing frees all of it") {
    ggml_backend_dev_t gpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_GPU);
    if (gpu == nullptr) {
        std::cout << "     left out: no GPU, or not built for one\n";
        return;
    }
    {
        // The first use loads kernels and driver state, which stay.
        engine first;
        CHECK_EQUAL(load_and_wait(first, request_for(512)), "");
        generate_and_wait(first, long_request(256));
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
        CHECK_EQUAL(load_and_wait(subject, request_for(8192)), "");
        CHECK(reported(subject, gpu) >= subject.facts()->model.weights_bytes / 2);
        check("after the load");
        generate_and_wait(subject, long_request(256));
        check("after 256 tokens");
        generate_and_wait(subject, long_request(6000));
        check("after 6000 tokens");
        generation_request chat = long_request(1000);
        chat.slot               = slot_kind::chat;
        generate_and_wait(subject, chat);
        check("with a chat");
        CHECK_EQUAL(release_and_wait(subject, release_target::chat), "");
        check("without the chat");
        CHECK_EQUAL(release_and_wait(subject, release_target::completion), "");
        check("without contexts");
        CHECK(reported(subject, gpu) >= subject.facts()->model.weights_bytes / 2);
        subject.close();
        const uint64_t left = before - std::min(before, spare(gpu));
        std::cout << "     after unloading " << left / MIB << " MiB less\n";
        CHECK(left <= 8 * MIB);
    }
}

#include "check.h"
#include "slots.h"
#include "tiny_models.h"
#include "waiting.h"

#include "engine/base/machine_memory.h"
#include "engine/base/process_memory.h"
#include "engine/memory/memory_estimate.h"
#include "engine/memory/memory_report.h"
#include "engine/state/memory_policy.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace inkling;
using inkling_test::error_code_of;
using inkling_test::generate_and_wait;
using inkling_test::load_and_wait;
using inkling_test::long_request;
using inkling_test::request_for;
using inkling_test::scaled;

namespace {

// Loads a model, calls `body` with the engine and closes it. Returns the error message, or an empty string.
std::string with_engine(const load_request & request, const std::function<void(engine &)> & body) {
    engine            subject;
    const std::string failure = load_and_wait(subject, request);
    if (failure.empty()) {
        body(subject);
    }
    return failure;
}

// What a load is told that has so many bytes. It must be refused.
std::string refusal(const load_request & request, uint64_t available) {
    try {
        require_memory(request, available);
    } catch (const engine_error & error) {
        CHECK_EQUAL(to_string(error.code()), std::string("outOfMemory"));
        return error.what();
    }
    CHECK(false);
    return "";
}

void check_near(uint64_t left, uint64_t right, double share, const std::string & what) {
    const double difference = std::abs(static_cast<double>(left) - static_cast<double>(right));
    if (difference > share * static_cast<double>(std::max(left, right))) {
        inkling_test::fail(__FILE__, __LINE__, what + ": " + std::to_string(left) + " and " + std::to_string(right));
    }
}

#if defined(__linux__)
// Bytes of files that this process maps by huge pages. Where the kernel keeps a model file in such pages, a part of the
// file that is read once stays mapped with its neighbours, though the weights in it were repacked.
uint64_t huge_file_pages() {
    std::ifstream file("/proc/self/smaps_rollup");
    std::string   name;
    uint64_t      kilobytes = 0;
    while (file >> name) {
        if (name == "FilePmdMapped:" && file >> kilobytes) {
            return kilobytes << 10;
        }
    }
    return 0;
}

// The report is the growth of the process to a tenth, without huge pages of files.
void check_growth(const engine & loaded, uint64_t before, const std::string & what) {
    const uint64_t held = loaded.memory().total();
    const uint64_t grew = process_rss() - before;
    check_near(held, std::clamp(held, grew - std::min(grew, huge_file_pages()), grew), 0.1, what);
}
#endif

} // namespace

TEST("an estimate from the header equals the report after the load") {
    struct variant {
        int32_t context_length;
        kv_type kv;
        bool    mtp;
        int32_t batch_size;
    };
    for (const variant & each : {variant{512, kv_type::f16, true, 256}, variant{2048, kv_type::q8_0, true, 256},
                                 variant{8192, kv_type::f16, false, 128}, variant{1000, kv_type::f16, true, 64},
                                 variant{16384, kv_type::q8_0, false, 512}}) {
        load_request request             = request_for(each.context_length);
        request.slots.context.kv         = each.kv;
        request.slots.context.batch_size = each.batch_size;
        request.model.mtp                = each.mtp;
        const memory_estimate estimate   = estimate_memory(request);
        CHECK_EQUAL(estimate.context_length, each.context_length);
        with_engine(request, [&](engine & loaded) {
            const memory_report report = loaded.memory();
            const std::string   name   = std::to_string(each.context_length) + " tokens, ";
            CHECK_EQUAL(estimate.parts.weights, report.weights);
            CHECK_EQUAL(estimate.parts.mtp_weights, report.mtp_weights);
            CHECK_EQUAL(estimate.parts.completion.outputs, report.completion.outputs);
            // The estimate builds the graph of one snapshot of the recurrent state. Each more that is kept adds nodes.
            check_near(estimate.parts.completion.graphs, report.completion.graphs, 0.03, name + "graphs");
            check_near(estimate.parts.completion.kv, report.completion.kv, 0.01, name + "kv");
            check_near(estimate.parts.completion.recurrent, report.completion.recurrent, 0.01, name + "recurrent");
            check_near(estimate.parts.vocabulary, report.vocabulary, 0.01, name + "vocabulary");
            if (inkling_test::bit_exact()) {
                check_near(estimate.parts.completion.compute, report.completion.compute, 0.15, name + "compute");
            } else {
                // A GPU keeps more snapshots, which add to this. The estimate includes a spare state plane for them.
                CHECK(report.completion.compute <= estimate.parts.completion.compute + estimate.growth);
            }
            check_near(estimate.parts.total(), report.total(), 0.02, name + "total");
        });
    }
}

TEST("the first requests add no more than the estimate says") {
    std::vector<std::string> models = {request_for(0).model.path};
    for (const std::string & architecture : inkling_test::tiny_architectures()) {
        models.push_back(inkling_test::tiny_model_file(architecture, "q4_K").string());
    }
    for (const std::string & model : models) {
        load_request request             = request_for(1024);
        request.model.path               = model;
        request.slots.context.batch_size = 64;
        const memory_estimate estimate   = estimate_memory(request);
        with_engine(request, [&](engine & loaded) {
            const auto held = [&] {
                const slot_memory slot = loaded.memory().completion;
                return slot.compute + slot.graphs + slot.outputs;
            };
            const uint64_t before = held();
            // Drafts of several lengths, and the last tokens of prompts of several lengths.
            for (const int32_t length : {40, 41, 42, 43, 44, 45, 46, 47, 200}) {
                generate_and_wait(loaded, long_request(length));
            }
            const uint64_t added = held() - before;
            CHECK(added > 0);
            if (added > estimate.growth) {
                inkling_test::fail(__FILE__, __LINE__,
                                   model + ": " + std::to_string(added) + " and " + std::to_string(estimate.growth));
            }
        });
    }
}

TEST("the estimate is right for each architecture") {
    for (const std::string & architecture : inkling_test::tiny_architectures()) {
        load_request request           = request_for(1024);
        request.model.path             = inkling_test::tiny_model_file(architecture, "q4_K").string();
        const memory_estimate estimate = estimate_memory(request);
        const slot_memory &   expected = estimate.parts.completion;
        with_engine(request, [&](engine & loaded) {
            const slot_memory found = loaded.memory().completion;
            check_near(expected.kv, found.kv, 0.01, architecture + " kv");
            check_near(expected.recurrent, found.recurrent, 0.02, architecture + " recurrent");
            check_near(estimate.parts.total(), loaded.memory().total(), 0.03, architecture + " total");
        });
    }
}

TEST("the generous estimate is never below the exact one") {
    for (const int32_t length : {512, 8192, 32768}) {
        const load_request request = request_for(length);
        CHECK(generous_estimate(read_gguf_header(request.model.path), request) >=
              estimate_memory(request).parts.total());
    }
}

TEST("the engine refuses a load that cannot fit, and names the sizes and a context that fits") {
    load_request          request  = request_for(16384);
    const memory_estimate estimate = estimate_memory(request);
    const uint64_t        enough   = estimate.needed() - 8192 * estimate.bytes_per_token;
    const std::string     failure  = refusal(request, enough);
    const std::string     needed   = std::to_string((estimate.needed() + 500'000) / 1'000'000) + " MB";
    const std::string     left     = std::to_string((enough + 500'000) / 1'000'000) + " MB";
    CHECK(failure.find("16384 tokens needs " + needed + "; " + left + " are available") != std::string::npos);
    const std::string phrase = ". A context of ";
    const size_t      at     = failure.find(phrase);
    CHECK(at != std::string::npos);

    request.slots.context.context_length = std::stoi(failure.substr(at + phrase.size()));
    CHECK(request.slots.context.context_length >= 4096 && request.slots.context.context_length <= 8192);
    request.slots = require_memory(request, enough);
    CHECK_EQUAL(with_engine(request,
                            [&](engine & loaded) {
                                // Checkpoints use only the memory that remains.
                                generate_and_wait(loaded, long_request(std::max(scaled(3750), 400)));
                                CHECK(loaded.memory().total() <= enough);
                            }),
                "");

    CHECK(refusal(request, 20'000'000).find("20 MB are available. No context length would fit") != std::string::npos);
}

TEST("an estimate of a file that cannot be loaded gives the reason") {
    load_request request = request_for(512);
    request.model.path   = "/nowhere.gguf";
    CHECK_EQUAL(error_code_of([&] { estimate_memory(request); }), "fileNotFound");
}

TEST("the model's size limits snapshots and checkpoints") {
    constexpr uint64_t MIB = 1 << 20;
    CHECK_EQUAL(most_snapshots(35 * MIB), 2);
    CHECK_EQUAL(most_snapshots(600 * MIB), MAX_DRAFT);
    CHECK_EQUAL(affordable_snapshots(35 * MIB, MIB, 2), 2);
    CHECK_EQUAL(affordable_snapshots(35 * MIB, 20 * MIB, 6), 2);
    CHECK_EQUAL(affordable_snapshots(35 * MIB, 500 * MIB, 6), 1);
    CHECK_EQUAL(affordable_snapshots(16000 * MIB, 150 * MIB, 6), 6);
    CHECK_EQUAL(checkpoint_budget(-1, 35 * MIB), 64 * MIB);
    CHECK_EQUAL(checkpoint_budget(-1, 4000 * MIB), 500 * MIB);
    CHECK_EQUAL(checkpoint_budget(-1, 16000 * MIB), 1024 * MIB);
    CHECK_EQUAL(checkpoint_budget(5, 16000 * MIB), 5u);
    CHECK_EQUAL(swap_budget(-1, 35 * MIB), 64 * MIB);
    CHECK_EQUAL(swap_budget(-1, 4000 * MIB), 1000 * MIB);
    CHECK_EQUAL(swap_budget(0, 4000 * MIB), 0u);
}

TEST("the available memory is more than nothing and less than the whole") {
    const uint64_t available = available_memory();
#if defined(__linux__) || defined(__APPLE__) || defined(_WIN32)
    CHECK(available > 0);
#endif
    CHECK(available < (1ull << 50));
}

TEST("the parts of the report add up to the growth of the process") {
#if defined(__linux__)
    if (!inkling_test::memory_counts("what the process grew by")) {
        return;
    }
    if (!inkling_test::bit_exact("what the process grew by, as a driver maps much for itself (device_memory_test)")) {
        return;
    }
    // A first round warms up the code and the allocator.
    with_engine(request_for(512), [](engine & loaded) { generate_and_wait(loaded, long_request(64)); });
    release_freed_memory();
    const uint64_t before = process_rss();
    for (int32_t round = 0; round < 2; ++round) {
        with_engine(request_for(4096), [&](engine & loaded) {
            CHECK_EQUAL(loaded.memory().devices.size(), 1u);
            CHECK_EQUAL(loaded.memory().devices.front().weights, loaded.facts()->model.weights_bytes);
            // Of the compute buffers, only written pages count. The first requests write them.
            generate_and_wait(loaded, long_request(256));
            check_growth(loaded, before, "after the first request");
            generate_and_wait(loaded, long_request(2000));
            check_growth(loaded, before, "after 2000 tokens");
        });
        const uint64_t after = process_rss();
        CHECK(after < before + (10 << 20));
    }
#endif
}

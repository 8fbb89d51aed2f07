#include "engine/llama/device_trial.h"

#include "engine/base/cpu_topology.h"
#include "engine/base/elapsed.h"
#include "engine/base/error.h"

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpp.h"
#include "ggml-cpu.h"
#include "ggml.h"

#include <cmath>
#include <limits>
#include <vector>

namespace inkling {

namespace {

// One layer after the other: WIDTH inputs, HEIGHT outputs, and back. Their weights are larger than a processor's cache.
constexpr int64_t WIDTH          = 1024;
constexpr int64_t HEIGHT         = 4096;
constexpr size_t  LAYERS         = 4;
// A piece of a prompt, and the tokens that follow it.
constexpr int64_t PROMPT_ROWS    = 32;
constexpr int     TOKENS         = 16;
// The largest deviation, as a share of the largest result. Devices sum in another order, and some with 16 bits: 0.02
// with llvmpipe.
constexpr double  MOST_DEVIATION = 0.1;

[[noreturn]] void fail(const std::string & device, const std::string & reason) {
    throw engine_error(error_code::device_failed, device + " " + reason);
}

class trial_network {
  public:
    trial_network(ggml_backend_t backend, const std::string & name) : backend_(backend) {
        constexpr size_t TENSORS = 2 * LAYERS;
        weights_context_.reset(ggml_init({ggml_tensor_overhead() * TENSORS, nullptr, /*no_alloc =*/true}));
        for (size_t i = 0; i < LAYERS; ++i) {
            weights_.push_back(ggml_new_tensor_2d(weights_context_.get(), GGML_TYPE_F16, WIDTH, HEIGHT));
            weights_.push_back(ggml_new_tensor_2d(weights_context_.get(), GGML_TYPE_F16, HEIGHT, WIDTH));
        }
        buffer_.reset(ggml_backend_alloc_ctx_tensors(weights_context_.get(), backend_));
        if (buffer_ == nullptr) {
            fail(name, "has no memory left");
        }
        std::vector<ggml_fp16_t> values(static_cast<size_t>(WIDTH * HEIGHT));
        uint32_t                 random = 1;
        for (ggml_fp16_t & value : values) {
            random = random * 1664525u + 1013904223u;
            value  = ggml_fp32_to_fp16((static_cast<float>(random >> 8) / (1 << 24) - 0.5f) / 16.0f);
        }
        for (ggml_tensor * each : weights_) {
            ggml_backend_tensor_set(each, values.data(), 0, ggml_nbytes(each));
        }
    }

    // Computes `rows` rows of input; returns the last row of the result.
    std::vector<float> compute(int64_t rows, const std::string & name) {
        constexpr size_t NODES = 4 * LAYERS + 8;
        ggml_context_ptr context(ggml_init({ggml_tensor_overhead() * NODES + ggml_graph_overhead(), nullptr, true}));
        ggml_tensor *    input = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, WIDTH, rows);
        ggml_set_input(input);
        ggml_tensor * state = input;
        for (const auto * each = weights_.data(); each != weights_.data() + weights_.size(); ++each) {
            state = ggml_mul_mat(context.get(), *each, state);
        }
        ggml_set_output(state);
        ggml_cgraph * graph = ggml_new_graph(context.get());
        ggml_build_forward_expand(graph, state);
        const ggml_gallocr_ptr memory(ggml_gallocr_new(ggml_backend_get_default_buffer_type(backend_)));
        if (!ggml_gallocr_alloc_graph(memory.get(), graph)) {
            fail(name, "has no memory left");
        }
        std::vector<float> values(static_cast<size_t>(WIDTH * rows));
        for (size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(static_cast<int>(i % 7) - 3);
        }
        ggml_backend_tensor_set(input, values.data(), 0, ggml_nbytes(input));
        if (ggml_backend_graph_compute(backend_, graph) != GGML_STATUS_SUCCESS) {
            fail(name, "could not compute");
        }
        std::vector<float> result(static_cast<size_t>(WIDTH));
        const size_t       row = result.size() * sizeof(float);
        ggml_backend_tensor_get(state, result.data(), row * static_cast<size_t>(rows - 1), row);
        return result;
    }

    double measure(const std::string & name) {
        const auto started_at = std::chrono::steady_clock::now();
        compute(PROMPT_ROWS, name);
        for (int i = 0; i < TOKENS; ++i) {
            compute(1, name);
        }
        return milliseconds_since(started_at);
    }

  private:
    ggml_backend_t             backend_;
    ggml_context_ptr           weights_context_;
    std::vector<ggml_tensor *> weights_;
    ggml_backend_buffer_ptr    buffer_;
};

void require_equal(const std::vector<float> & result, const std::vector<float> & expected, const std::string & name) {
    double largest   = 0;
    double deviation = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        largest   = std::max(largest, std::abs(static_cast<double>(expected[i])));
        deviation = std::max(deviation, std::abs(static_cast<double>(expected[i]) - result[i]));
    }
    // Not a number compares as false.
    if (!(deviation <= largest * MOST_DEVIATION)) {
        fail(name, "computes wrong results");
    }
}

} // namespace

device_trial try_device(const std::string & device) {
    ggml_backend_dev_t found = ggml_backend_dev_by_name(device.c_str());
    if (found == nullptr) {
        fail(device, "does not exist");
    }
    try {
        const ggml_backend_ptr on(ggml_backend_dev_init(found, nullptr));
        const ggml_backend_ptr host(
            ggml_backend_dev_init(ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU), nullptr));
        if (on == nullptr || host == nullptr) {
            fail(device, "does not start");
        }
        ggml_backend_cpu_set_n_threads(host.get(),
                                       default_threads(/*all_on_gpu =*/false, std::numeric_limits<uint64_t>::max()));
        trial_network here(on.get(), device);
        trial_network there(host.get(), "CPU");
        for (const int64_t rows : {int64_t(1), PROMPT_ROWS}) {
            require_equal(here.compute(rows, device), there.compute(rows, "CPU"), device);
        }
        return {here.measure(device), there.measure("CPU")};
    } catch (const engine_error &) {
        throw;
    } catch (const std::exception & error) {
        fail(device, std::string("failed: ") + error.what());
    }
}

} // namespace inkling

#include "fake_gpu.h"

#include "engine/base/log.h"

#include "ggml-backend-impl.h"
#include "ggml-cpu.h"
#include "ggml-impl.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

namespace inkling_test::fake_gpu {

namespace {

constexpr size_t  TOTAL_BYTES = 8ull << 30;
constexpr size_t  ALIGNMENT   = 128;
// Reading what nobody wrote gives no number.
constexpr uint8_t UNWRITTEN   = 0xFF;

// One thread at a time uses the device: tests load and generate in turns.
struct device_state {
    bool                     installed = false;
    size_t                   bytes     = 0;
    size_t                   buffers   = 0;
    size_t                   backends  = 0;
    int                      countdown = 0; // graphs until one fails; 0 = none will
    scope                    failure   = scope::backend;
    report                   how       = report::log;
    bool                     lost      = false;
    bool                     full      = false;
    std::vector<graph_shape> graphs;
    std::function<void()>    before_graph;

    ~device_state() {
        if (buffers > 0) {
            std::fprintf(stderr, "fake GPU: %zu buffers outlive the device\n", buffers);
            std::abort();
        }
    }
};

device_state & state() {
    static device_state it;
    return it;
}

ggml_backend_device * device();

// Buffers

uint8_t * address(const ggml_tensor * tensor, size_t offset) {
    return static_cast<uint8_t *>(tensor->data) + offset;
}

ggml_backend_buffer_t allocate(ggml_backend_buffer_type_t type, size_t size) {
    if (state().full) {
        GGML_LOG_ERROR("%s: error: failed to allocate buffer, size = %8.2f MiB\n", __func__, size / 1048576.0);
        return nullptr;
    }
    const size_t room   = (std::max<size_t>(size, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void * const memory = ::operator new(room, std::align_val_t(ALIGNMENT));
    std::memset(memory, UNWRITTEN, room);
    ggml_backend_buffer_i calls = {};
    calls.free_buffer           = [](ggml_backend_buffer_t buffer) {
        --state().buffers;
        state().bytes -= buffer->size;
        ::operator delete(buffer->context, std::align_val_t(ALIGNMENT));
    };
    calls.get_base = [](ggml_backend_buffer_t buffer) {
        return buffer->context;
    };
    calls.memset_tensor = [](ggml_backend_buffer_t, ggml_tensor * tensor, uint8_t value, size_t offset, size_t bytes) {
        std::memset(address(tensor, offset), value, bytes);
    };
    calls.set_tensor = [](ggml_backend_buffer_t, ggml_tensor * tensor, const void * data, size_t offset, size_t bytes) {
        std::memcpy(address(tensor, offset), data, bytes);
    };
    calls.get_tensor = [](ggml_backend_buffer_t, const ggml_tensor * tensor, void * data, size_t offset, size_t bytes) {
        std::memcpy(data, address(tensor, offset), bytes);
    };
    calls.clear = [](ggml_backend_buffer_t buffer, uint8_t value) {
        std::memset(buffer->context, value, buffer->size);
    };
    ++state().buffers;
    state().bytes += size;
    return ggml_backend_buffer_init(type, calls, memory, size);
}

ggml_backend_buffer_type type_of(const char * (*name)(ggml_backend_buffer_type_t),
                                 ggml_backend_buffer_t (*allocation)(ggml_backend_buffer_type_t, size_t),
                                 bool (*is_host)(ggml_backend_buffer_type_t)) {
    ggml_backend_buffer_type_i calls = {};
    calls.get_name                   = name;
    calls.alloc_buffer               = allocation;
    calls.is_host                    = is_host;
    calls.get_alignment              = [](ggml_backend_buffer_type_t) {
        return ALIGNMENT;
    };
    return {calls, device(), nullptr};
}

ggml_backend_buffer_type_t buffer_type() {
    static ggml_backend_buffer_type type = type_of([](ggml_backend_buffer_type_t) { return "Fake"; }, allocate,
                                                   [](ggml_backend_buffer_type_t) { return false; });
    return &type;
}

ggml_backend_buffer_t allocate_pinned(ggml_backend_buffer_type_t type, size_t size) {
    void * const memory            = ::operator new(std::max<size_t>(size, 1), std::align_val_t(ALIGNMENT));
    ggml_backend_buffer_t   buffer = ggml_backend_cpu_buffer_from_ptr(memory, size);
    buffer->buft                   = type;
    buffer->iface.free_buffer      = [](ggml_backend_buffer_t freed) {
        --state().buffers;
        ::operator delete(freed->context, std::align_val_t(ALIGNMENT));
    };
    ++state().buffers;
    return buffer;
}

// Host memory that the device copies to and from by itself.
ggml_backend_buffer_type_t pinned_type() {
    static ggml_backend_buffer_type type = type_of([](ggml_backend_buffer_type_t) { return "Fake_Host"; },
                                                   allocate_pinned, [](ggml_backend_buffer_type_t) { return true; });
    return &type;
}

// Backends

// Bytes on their way to the host.
struct pending_copy {
    void *               to;
    std::vector<uint8_t> bytes;
};

struct backend_state {
    ggml_backend_t            cpu    = nullptr;
    bool                      failed = false; // a graph was not computed
    bool                      known  = false; // and the log says so
    std::vector<pending_copy> copies;
};

backend_state & state_of(ggml_backend_t backend) {
    return *static_cast<backend_state *>(backend->context);
}

graph_shape shape_of(const ggml_cgraph * graph) {
    graph_shape shape;
    for (int i = 0; i < graph->n_nodes; ++i) {
        const ggml_tensor * node = graph->nodes[i];
        if (node->op != GGML_OP_MUL_MAT || node->src[0]->ne[2] > 1 || node->ne[1] < shape.rows) {
            continue;
        }
        shape.products = node->ne[1] > shape.rows ? 1 : shape.products + 1;
        shape.rows     = node->ne[1];
    }
    return shape;
}

ggml_status compute(ggml_backend_t backend, ggml_cgraph * graph) {
    backend_state & own = state_of(backend);
    if (own.known) {
        GGML_LOG_ERROR("%s: backend is in error state - recreate the backend to recover\n", __func__);
        return GGML_STATUS_FAILED;
    }
    device_state & all = state();
    if (all.before_graph) {
        all.before_graph();
    }
    all.graphs.push_back(shape_of(graph));
    if (all.countdown > 0 && --all.countdown == 0) {
        own.failed = true;
        all.lost   = all.failure == scope::device;
    }
    own.failed = own.failed || all.lost;
    return own.failed ? GGML_STATUS_SUCCESS : ggml_backend_graph_compute(own.cpu, graph);
}

void synchronize(ggml_backend_t backend) {
    backend_state & own = state_of(backend);
    if (own.failed && !own.known) {
        own.known = true;
        own.copies.clear();
        if (state().how == report::exception) {
            throw std::runtime_error("vk::Queue::submit: ErrorDeviceLost");
        }
        GGML_LOG_ERROR("%s: error: command buffer %d failed with status %d\n", __func__, 0, 5);
        GGML_LOG_ERROR("error: %s\n", "Caused GPU Timeout Error");
    } else if (!own.failed) {
        for (const pending_copy & copy : own.copies) {
            std::memcpy(copy.to, copy.bytes.data(), copy.bytes.size());
        }
    }
    own.copies.clear();
}

ggml_backend_t make_backend(ggml_backend_dev_t on, const char *) {
    static ggml_guid guid  = {0x1a, 0xfa, 0x4e, 0x00, 0x6b, 0x75, 0x41, 0x0b,
                              0x8e, 0x10, 0x77, 0x2f, 0x4c, 0x0d, 0x33, 0x9e};
    ggml_backend_i   calls = {};
    calls.get_name         = [](ggml_backend_t) {
        return "Fake";
    };
    calls.free = [](ggml_backend_t backend) {
        ggml_backend_free(state_of(backend).cpu);
        delete &state_of(backend);
        delete backend;
    };
    calls.set_tensor_async = [](ggml_backend_t, ggml_tensor * tensor, const void * data, size_t offset, size_t bytes) {
        std::memcpy(address(tensor, offset), data, bytes);
    };
    calls.get_tensor_async = [](ggml_backend_t backend, const ggml_tensor * tensor, void * data, size_t offset,
                                size_t bytes) {
        const uint8_t * from = address(tensor, offset);
        state_of(backend).copies.push_back({data, std::vector<uint8_t>(from, from + bytes)});
    };
    calls.synchronize   = synchronize;
    calls.graph_compute = compute;

    auto own = std::make_unique<backend_state>();
    own->cpu = ggml_backend_cpu_init();
    ggml_backend_cpu_set_n_threads(own->cpu, 1);
    ++state().backends;
    return new ggml_backend{&guid, calls, on, own.release()};
}

// Device

void memory_of(ggml_backend_dev_t, size_t * free, size_t * total) {
    *total = TOTAL_BYTES;
    *free  = TOTAL_BYTES - std::min(TOTAL_BYTES, state().bytes);
}

ggml_backend_reg * registration() {
    static ggml_backend_reg it = [] {
        ggml_backend_reg_i calls = {};
        calls.get_name           = [](ggml_backend_reg_t) {
            return "Fake";
        };
        calls.get_device_count = [](ggml_backend_reg_t) -> size_t {
            return 1;
        };
        calls.get_device = [](ggml_backend_reg_t, size_t) {
            return device();
        };
        return ggml_backend_reg{GGML_BACKEND_API_VERSION, calls, nullptr};
    }();
    return &it;
}

ggml_backend_device * device() {
    static ggml_backend_device it = [] {
        ggml_backend_device_i calls = {};
        calls.get_name              = [](ggml_backend_dev_t) {
            return "Fake0";
        };
        calls.get_description = [](ggml_backend_dev_t) {
            return "A GPU for tests";
        };
        calls.get_memory = memory_of;
        calls.get_type   = [](ggml_backend_dev_t) {
            return GGML_BACKEND_DEVICE_TYPE_GPU;
        };
        calls.get_props = [](ggml_backend_dev_t on, ggml_backend_dev_props * props) {
            *props                  = {};
            props->name             = "Fake0";
            props->description      = "A GPU for tests";
            props->type             = GGML_BACKEND_DEVICE_TYPE_GPU;
            props->caps.async       = true;
            props->caps.host_buffer = true;
            memory_of(on, &props->memory_free, &props->memory_total);
        };
        calls.init_backend    = make_backend;
        calls.get_buffer_type = [](ggml_backend_dev_t) {
            return buffer_type();
        };
        calls.get_host_buffer_type = [](ggml_backend_dev_t) {
            return pinned_type();
        };
        calls.supports_op = [](ggml_backend_dev_t, const ggml_tensor * op) {
            return ggml_backend_dev_supports_op(ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU), op);
        };
        calls.supports_buft = [](ggml_backend_dev_t, ggml_backend_buffer_type_t type) {
            return type == buffer_type();
        };
        return ggml_backend_device{calls, registration(), nullptr};
    }();
    return &it;
}

} // namespace

void install() {
    if (state().installed) {
        return;
    }
    inkling::initialise_backend();
    // Models would be spread over both.
    if (ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_GPU) != nullptr) {
        return;
    }
    state().installed = true;
    ggml_backend_register(registration());
}

bool installed() {
    return state().installed;
}

void fail_at(int graph, scope what, report how) {
    state().how       = how;
    state().countdown = graph;
    state().failure   = what;
}

void recover() {
    state().countdown = 0;
    state().lost      = false;
}

void refuse_buffers(bool refused) {
    state().full = refused;
}

void before_graph(std::function<void()> call) {
    state().before_graph = std::move(call);
}

const std::vector<graph_shape> & graphs() {
    return state().graphs;
}

size_t backends() {
    return state().backends;
}

size_t buffers() {
    return state().buffers;
}

} // namespace inkling_test::fake_gpu

#pragma once

#include <node_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

// As much of N-API as native/addon/convert/convert.cpp calls, over values in plain memory. Hostile in every way in
// which JavaScript can be: getters throw, or give another value each time; arrays say any length.

namespace inkling_fuzz {

struct fake_value;

struct fake_property {
    // One after the other, then the first again. Empty: a getter that throws.
    std::vector<fake_value *> values;
    size_t                    next = 0;
};

struct fake_value {
    napi_valuetype                       type   = napi_undefined;
    bool                                 flag   = false;
    double                               number = 0.0;
    std::string                          text; // UTF-8
    bool                                 is_array = false;
    // What an array says; its items may be fewer.
    uint32_t                             length   = 0;
    std::vector<fake_property>           items;
    std::map<std::string, fake_property> properties;
    bool                                 is_typed_array = false;
    napi_typedarray_type                 element_type   = napi_int8_array;
    std::vector<uint8_t>                 bytes;
};

// Of the present input: values live until the next one.
struct fake_engine {
    std::vector<std::unique_ptr<fake_value>> values;
    fake_value *                             pending = nullptr;
    napi_extended_error_info                 last{};
    // A getter threw.
    bool                                     threw = false;

    fake_value * make(napi_valuetype type);
    fake_value * make_text(std::string text);
};

fake_engine & fake();

inline napi_value handle_of(fake_value * value) {
    return reinterpret_cast<napi_value>(value);
}
inline fake_value & value_of(napi_value handle) {
    return *reinterpret_cast<fake_value *>(handle);
}
inline napi_env fake_env() {
    return reinterpret_cast<napi_env>(&fake());
}

} // namespace inkling_fuzz

#include "napi_fake.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

using namespace inkling_fuzz;

namespace inkling_fuzz {

fake_engine & fake() {
    static fake_engine it;
    return it;
}

fake_value * fake_engine::make(napi_valuetype type) {
    values.push_back(std::make_unique<fake_value>());
    values.back()->type = type;
    return values.back().get();
}

fake_value * fake_engine::make_text(std::string text) {
    fake_value * value = make(napi_string);
    value->text        = std::move(text);
    return value;
}

} // namespace inkling_fuzz

namespace {

napi_status done(napi_status status = napi_ok) {
    fake().last.error_code    = status;
    fake().last.error_message = status == napi_ok ? nullptr : "it failed";
    return status;
}

bool is_object(const fake_value & value) {
    return value.type == napi_object || value.type == napi_function;
}

napi_status throw_value(fake_value * value) {
    fake().pending = value;
    return done(napi_pending_exception);
}

napi_status read(fake_property & from, napi_value * result) {
    if (from.values.empty()) {
        fake().threw         = true;
        // Anything can be thrown, not only errors.
        fake_value * const e = fake().values.size() % 3 == 0 ? fake().make_text("thrown") : fake().make(napi_object);
        if (e->type == napi_object) {
            e->properties["message"] = {{fake().make_text("a getter threw")}};
        }
        return throw_value(e);
    }
    *result = handle_of(from.values[from.next++ % from.values.size()]);
    return done();
}

napi_status make_error(napi_value code, napi_value message, napi_value * result) {
    fake_value * error           = fake().make(napi_object);
    error->properties["message"] = {{&value_of(message)}};
    if (code != nullptr) {
        error->properties["code"] = {{&value_of(code)}};
    }
    *result = handle_of(error);
    return done();
}

napi_status get(napi_value object, const std::string & name, napi_value * result) {
    // As in V8: nothing runs while an exception waits.
    if (fake().pending != nullptr) {
        return done(napi_pending_exception);
    }
    fake_value & value = value_of(object);
    if (!is_object(value)) {
        return done(napi_object_expected);
    }
    const auto found = value.properties.find(name);
    if (found == value.properties.end()) {
        *result = handle_of(fake().make(napi_undefined));
        return done();
    }
    return read(found->second, result);
}

[[noreturn]] void unexpected(const char * name) {
    std::fprintf(stderr, "%s was not expected\n", name);
    std::abort();
}

} // namespace

extern "C" {

napi_status napi_typeof(napi_env, napi_value value, napi_valuetype * result) {
    *result = value_of(value).type;
    return done();
}

napi_status napi_is_array(napi_env, napi_value value, bool * result) {
    *result = value_of(value).is_array;
    return done();
}

napi_status napi_is_typedarray(napi_env, napi_value value, bool * result) {
    *result = value_of(value).is_typed_array;
    return done();
}

napi_status napi_get_array_length(napi_env, napi_value value, uint32_t * result) {
    if (!value_of(value).is_array) {
        return done(napi_array_expected);
    }
    *result = value_of(value).length;
    return done();
}

napi_status napi_get_element(napi_env, napi_value object, uint32_t index, napi_value * result) {
    fake_value & array = value_of(object);
    if (index >= array.items.size()) {
        *result = handle_of(fake().make(napi_undefined));
        return done();
    }
    return read(array.items[index], result);
}

napi_status napi_get_named_property(napi_env, napi_value object, const char * name, napi_value * result) {
    return get(object, name, result);
}

napi_status napi_get_property(napi_env, napi_value object, napi_value key, napi_value * result) {
    return get(object, value_of(key).text, result);
}

napi_status napi_has_property(napi_env, napi_value object, napi_value key, bool * result) {
    *result = value_of(object).properties.count(value_of(key).text) > 0;
    return done();
}

napi_status napi_set_named_property(napi_env, napi_value object, const char * name, napi_value value) {
    value_of(object).properties[name] = {{&value_of(value)}};
    return done();
}

napi_status napi_define_properties(napi_env, napi_value object, size_t count, const napi_property_descriptor * all) {
    for (size_t i = 0; i < count; ++i) {
        value_of(object).properties[all[i].utf8name != nullptr ? all[i].utf8name : value_of(all[i].name).text] = {
            {&value_of(all[i].value)}};
    }
    return done();
}

napi_status napi_get_typedarray_info(napi_env, napi_value value, napi_typedarray_type * type, size_t * length,
                                     void ** data, napi_value * buffer, size_t * offset) {
    fake_value & array = value_of(value);
    if (!array.is_typed_array) {
        return done(napi_invalid_arg);
    }
    static constexpr size_t SIZES[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8};
    if (type != nullptr) {
        *type = array.element_type;
    }
    if (length != nullptr) {
        *length = array.bytes.size() / SIZES[array.element_type];
    }
    if (data != nullptr) {
        // As of a detached buffer.
        *data = array.bytes.empty() ? nullptr : array.bytes.data();
    }
    if (buffer != nullptr) {
        *buffer = handle_of(fake().make(napi_object));
    }
    if (offset != nullptr) {
        *offset = 0;
    }
    return done();
}

napi_status napi_get_value_bool(napi_env, napi_value value, bool * result) {
    *result = value_of(value).flag;
    return done(value_of(value).type == napi_boolean ? napi_ok : napi_boolean_expected);
}

napi_status napi_get_value_double(napi_env, napi_value value, double * result) {
    *result = value_of(value).number;
    return done(value_of(value).type == napi_number ? napi_ok : napi_number_expected);
}

napi_status napi_get_value_string_utf8(napi_env, napi_value value, char * buffer, size_t size, size_t * result) {
    const fake_value & from = value_of(value);
    if (from.type != napi_string) {
        return done(napi_string_expected);
    }
    if (buffer == nullptr) {
        *result = from.text.size();
        return done();
    }
    const size_t copied = size == 0 ? 0 : std::min(size - 1, from.text.size());
    std::memcpy(buffer, from.text.data(), copied);
    if (size > 0) {
        buffer[copied] = '\0';
    }
    if (result != nullptr) {
        *result = copied;
    }
    return done();
}

napi_status napi_coerce_to_string(napi_env, napi_value value, napi_value * result) {
    const fake_value & from = value_of(value);
    switch (from.type) {
        case napi_string: *result = value; return done();
        case napi_number: *result = handle_of(fake().make_text(std::to_string(from.number))); return done();
        case napi_boolean: *result = handle_of(fake().make_text(from.flag ? "true" : "false")); return done();
        case napi_null: *result = handle_of(fake().make_text("null")); return done();
        case napi_undefined: *result = handle_of(fake().make_text("undefined")); return done();
        default: break;
    }
    // Objects could run anything here, and symbols have no spelling.
    unexpected("napi_coerce_to_string");
}

napi_status napi_create_string_utf8(napi_env, const char * text, size_t length, napi_value * result) {
    *result = handle_of(fake().make_text(length == NAPI_AUTO_LENGTH ? std::string(text) : std::string(text, length)));
    return done();
}

napi_status napi_create_object(napi_env, napi_value * result) {
    *result = handle_of(fake().make(napi_object));
    return done();
}

napi_status napi_create_error(napi_env, napi_value code, napi_value message, napi_value * result) {
    return make_error(code, message, result);
}

napi_status napi_create_type_error(napi_env, napi_value code, napi_value message, napi_value * result) {
    const napi_status status                    = make_error(code, message, result);
    value_of(*result).properties["isTypeError"] = {{fake().make(napi_null)}};
    return status;
}

napi_status napi_create_reference(napi_env, napi_value value, uint32_t, napi_ref * result) {
    if (!is_object(value_of(value))) {
        return done(napi_object_expected);
    }
    *result = reinterpret_cast<napi_ref>(value);
    return done();
}

napi_status napi_get_reference_value(napi_env, napi_ref reference, napi_value * result) {
    *result = reinterpret_cast<napi_value>(reference);
    return done();
}

napi_status napi_delete_reference(napi_env, napi_ref) {
    return done();
}

napi_status napi_throw(napi_env, napi_value error) {
    fake().pending = &value_of(error);
    return done();
}

napi_status napi_is_exception_pending(napi_env, bool * result) {
    *result = fake().pending != nullptr;
    return done();
}

napi_status napi_get_and_clear_last_exception(napi_env, napi_value * result) {
    *result = handle_of(std::exchange(fake().pending, nullptr));
    return done();
}

napi_status napi_get_last_error_info(napi_env, const napi_extended_error_info ** result) {
    *result = &fake().last;
    return napi_ok;
}

napi_status napi_open_handle_scope(napi_env, napi_handle_scope * result) {
    *result = nullptr;
    return done();
}
napi_status napi_close_handle_scope(napi_env, napi_handle_scope) {
    return done();
}
napi_status napi_open_escapable_handle_scope(napi_env, napi_escapable_handle_scope * result) {
    *result = nullptr;
    return done();
}
napi_status napi_close_escapable_handle_scope(napi_env, napi_escapable_handle_scope) {
    return done();
}
napi_status napi_escape_handle(napi_env, napi_escapable_handle_scope, napi_value value, napi_value * result) {
    *result = value;
    return done();
}

// What node-addon-api's headers name, and converting never does.
napi_status napi_call_function(napi_env, napi_value, napi_value, size_t, const napi_value *, napi_value *) {
    unexpected("napi_call_function");
}
napi_status napi_async_destroy(napi_env, napi_async_context) {
    unexpected("napi_async_destroy");
}
napi_status napi_close_callback_scope(napi_env, napi_callback_scope) {
    unexpected("napi_close_callback_scope");
}
void napi_fatal_error(const char * place, size_t, const char * message, size_t) {
    std::fprintf(stderr, "%s: %s\n", place, message);
    std::abort();
}

} // extern "C"

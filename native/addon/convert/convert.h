#pragma once

#include "engine/engine.h"
#include "engine/memory/memory_estimate.h"

#include <napi.h>

#include <optional>
#include <string>
#include <vector>

namespace inkling {

// JavaScript values to plain structs and back; shapes as in server/src/engine/addon/addon-types.ts. Everything that
// reads throws engine_error(invalid_argument) with a message that names the argument and what it was.

Napi::Error to_js_error(Napi::Env env, const engine_error & error);

// The exception that is being handled as JavaScript's: memory that runs out also ends a call. Call it inside a catch
// block. throw_to_js throws it.
Napi::Error       current_js_error(Napi::Env env);
[[noreturn]] void throw_to_js(Napi::Env env);

// JavaScript's own spelling of a value, shortened, for messages.
std::string describe(const Napi::Value & value);

// One options object.
class object_reader {
  public:
    object_reader(const Napi::Value & value, const std::string & name);

    bool                          has(const char * key) const;
    // How messages name a key, for example request.prompt.
    std::string                   name_of(const char * key) const { return name_ + "." + key; }
    Napi::Value                   get(const char * key) const;
    std::string                   string(const char * key) const;
    int64_t                       integer(const char * key, int64_t min, int64_t max) const;
    int64_t                       integer(const char * key, int64_t min, int64_t max, int64_t fallback) const;
    double                        number(const char * key, double min, double max, double fallback) const;
    bool                          boolean(const char * key, bool fallback) const;
    std::optional<Napi::Function> function(const char * key) const;
    // Empty where the key is absent.
    std::vector<Napi::Value>      array(const char * key) const;
    std::string                   path(const char * key) const;

  private:
    [[noreturn]] void wrong(const char * key, const std::string & expected) const;

    Napi::Object object_;
    std::string  name_;
};

std::string              read_string(const Napi::Value & value, const std::string & name);
// A device's name as ggml spells it, "Vulkan0"; short enough for a message to repeat it.
std::string              read_device(const Napi::Value & value, const std::string & name);
std::vector<token_id>    read_tokens(const Napi::Value & value, const std::string & name);
load_request             read_load_request(const object_reader & options);
generation_request       read_generation_request(const Napi::Value & value);
// Text and token ids; name says which argument it is.
std::vector<prompt_part> read_prompt(const Napi::Value & value, const std::string & name);
release_target           read_release_target(const Napi::Value & value);

Napi::Value to_js(Napi::Env env, const loaded_facts & facts);
Napi::Value to_js(Napi::Env env, const generation_metrics & metrics);
Napi::Value to_js(Napi::Env env, const generation_result & result);
Napi::Value to_js(Napi::Env env, const memory_report & report);
Napi::Value to_js(Napi::Env env, const memory_estimate & estimate);
Napi::Value to_js(Napi::Env env, const key_vectors & keys);

} // namespace inkling

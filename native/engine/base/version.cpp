#include "engine/base/version.h"

#include "llama.h"

namespace inkling {

const char * llama_version_text() {
    return llama_version();
}

} // namespace inkling

#pragma once

namespace inkling {

// Such as v0.5.0.
const char * llama_version_text();

} // namespace inkling

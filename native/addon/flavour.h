#pragma once

namespace inkling {

// The instruction set that this binary was compiled for: avx2, avx512, arm64, dotprod or generic.
const char * addon_flavour();

} // namespace inkling

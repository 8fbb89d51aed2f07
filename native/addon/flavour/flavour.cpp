#include "addon/flavour/flavour.h"

namespace inkling {

const char * addon_flavour() {
    return INKLING_FLAVOUR;
}

void add_flavour_exports(Napi::Env, Napi::Object) {}

} // namespace inkling

#include "addon/flavour.h"

namespace inkling {

const char * addon_flavour() {
    return INKLING_FLAVOUR;
}

} // namespace inkling

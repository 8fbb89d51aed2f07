#pragma once

#include <cstdio>
#include <cstdlib>

// Ends the target, so that libFuzzer keeps the input: a property does not hold.
#define REQUIRE(condition)                                                                 \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                  \
        }                                                                                  \
    } while (false)

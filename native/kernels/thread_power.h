// Names of the Windows SDK that the headers of mingw-w64 10 lack, and ggml-cpu.c uses. Included before every source of
// ggml's CPU backend (native/cmake/patched-ggml.cmake).
#pragma once

// As ggml sets it, before the first header of Windows.
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#ifndef THREAD_POWER_THROTTLING_CURRENT_VERSION

#define THREAD_POWER_THROTTLING_CURRENT_VERSION 1
#define THREAD_POWER_THROTTLING_EXECUTION_SPEED 0x1

typedef struct {
    ULONG Version;
    ULONG ControlMask;
    ULONG StateMask;
} THREAD_POWER_THROTTLING_STATE;

#endif

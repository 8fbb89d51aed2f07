// Built with GCC for Windows only. A module imports Node-API from "node.exe". In VS Code the program that exports it
// has another name, such as Code.exe, so this hook gives the running program, whatever its name is. With MSVC, cmake-js
// adds a hook of its own.
#include <windows.h>

// After windows.h, whose types it uses.
#include <delayimp.h>

#include <cstring>

namespace {

FARPROC WINAPI find_host_program(unsigned event, DelayLoadInfo * info) {
    if (event == dliNotePreLoadLibrary && _stricmp(info->szDll, "node.exe") == 0) {
        return reinterpret_cast<FARPROC>(GetModuleHandleW(nullptr));
    }
    return nullptr;
}

} // namespace

extern "C" PfnDliHook __pfnDliNotifyHook2 = find_host_program;

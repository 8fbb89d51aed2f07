// The Vulkan driver of tests (software-gpu.ts). llvmpipe of Mesa 22.3, which Debian 12 has, keeps a buffer bound after
// vkDestroyBuffer, and crashes when the next one is bound. This driver is llvmpipe without vkDestroyBuffer. The memory of
// buffers is freed all the same. LLVMPIPE is the path of its library.
//
// It fails as the file says that INKLING_TEST_DRIVER_FAULT names: "start" ends the process when it is loaded, "crash" with
// the next work; "hang" and "lost" fail that work, "full" the next allocation. A second word is the argument of a program, and only such programs see the driver fail.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*function)(void);
typedef function (*get_function)(void *, const char *);

enum { OUT_OF_DEVICE_MEMORY = -2, DEVICE_LOST = -4 };

static int runs_with(const char * argument) {
    char         line[4096];
    FILE *       file  = fopen("/proc/self/cmdline", "r");
    const size_t count = file == NULL ? 0 : fread(line, 1, sizeof(line) - 1, file);
    if (file != NULL) {
        fclose(file);
    }
    line[count] = 0;
    for (size_t at = 0; at < count; at += strlen(line + at) + 1) {
        if (strcmp(line + at, argument) == 0) {
            return 1;
        }
    }
    return 0;
}

static int fails_with(const char * fault) {
    char         told[32]     = "";
    char         argument[32] = "";
    const char * path         = getenv("INKLING_TEST_DRIVER_FAULT");
    FILE *       file         = path == NULL ? NULL : fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    const int words = fscanf(file, "%31s %31s", told, argument);
    fclose(file);
    return words >= 1 && strcmp(told, fault) == 0 && (words == 1 || runs_with(argument));
}

__attribute__((constructor)) static void begin(void) {
    if (fails_with("start")) {
        abort();
    }
}

static void * library(void) {
    static void * handle;
    if (handle == NULL) {
        handle = dlopen(LLVMPIPE, RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

static get_function own(const char * name) {
    return (get_function) dlsym(library(), name);
}

static void keep(void) {}

typedef int (*submit_function)(void *, uint32_t, const void *, uint64_t);
typedef int (*allocate_function)(void *, const void *, const void *, uint64_t *);

static get_function      get_device_function;
static submit_function   submit;
static allocate_function allocate;

static int submit_or_fail(void * queue, uint32_t count, const void * submits, uint64_t fence) {
    if (fails_with("crash")) {
        abort();
    }
    while (fails_with("hang")) {
        pause();
    }
    return fails_with("lost") ? DEVICE_LOST : submit(queue, count, submits, fence);
}

static int allocate_or_fail(void * device, const void * info, const void * allocator, uint64_t * memory) {
    return fails_with("full") ? OUT_OF_DEVICE_MEMORY : allocate(device, info, allocator, memory);
}

static function replacement(const char * name, function found) {
    if (strcmp(name, "vkDestroyBuffer") == 0) {
        return keep;
    }
    if (strcmp(name, "vkQueueSubmit") == 0) {
        submit = (submit_function) found;
        return (function) submit_or_fail;
    }
    if (strcmp(name, "vkAllocateMemory") == 0) {
        allocate = (allocate_function) found;
        return (function) allocate_or_fail;
    }
    return found;
}

static function replaced(void * device, const char * name) {
    const function found = get_device_function(device, name);
    return found == NULL ? NULL : replacement(name, found);
}

function vk_icdGetInstanceProcAddr(void * instance, const char * name) {
    function found = own("vk_icdGetInstanceProcAddr")(instance, name);
    if (found == NULL) {
        return NULL;
    }
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        get_device_function = (get_function) found;
        return (function) replaced;
    }
    return replacement(name, found);
}

function vk_icdGetPhysicalDeviceProcAddr(void * instance, const char * name) {
    return own("vk_icdGetPhysicalDeviceProcAddr")(instance, name);
}

int vk_icdNegotiateLoaderICDInterfaceVersion(unsigned * version) {
    return ((int (*)(unsigned *)) dlsym(library(), "vk_icdNegotiateLoaderICDInterfaceVersion"))(version);
}

// The Vulkan driver of tests (software-gpu.ts). llvmpipe of Mesa 22.3, which Debian 12 has, keeps a buffer bound after
// vkDestroyBuffer, and crashes when the next one is bound. This driver is llvmpipe without vkDestroyBuffer. The memory of
// buffers is freed all the same. LLVMPIPE is the path of its library.
#include <dlfcn.h>
#include <string.h>

typedef void (*function)(void);
typedef function (*get_function)(void *, const char *);

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

static get_function get_device_function;

static function replaced(void * device, const char * name) {
    return strcmp(name, "vkDestroyBuffer") == 0 ? keep : get_device_function(device, name);
}

function vk_icdGetInstanceProcAddr(void * instance, const char * name) {
    function found = own("vk_icdGetInstanceProcAddr")(instance, name);
    if (found != NULL && strcmp(name, "vkGetDeviceProcAddr") == 0) {
        get_device_function = (get_function) found;
        return (function) replaced;
    }
    return strcmp(name, "vkDestroyBuffer") == 0 ? keep : found;
}

function vk_icdGetPhysicalDeviceProcAddr(void * instance, const char * name) {
    return own("vk_icdGetPhysicalDeviceProcAddr")(instance, name);
}

int vk_icdNegotiateLoaderICDInterfaceVersion(unsigned * version) {
    return ((int (*)(unsigned *)) dlsym(library(), "vk_icdNegotiateLoaderICDInterfaceVersion"))(version);
}

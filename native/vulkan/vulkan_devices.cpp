#include "vulkan/vulkan_devices.h"

#include "ggml-backend.h"
#include "ggml-vulkan.h"

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace inkling {

namespace {

struct instance_deleter {
    void operator()(VkInstance_T * instance) const { vkDestroyInstance(instance, nullptr); }
};
using instance_handle = std::unique_ptr<VkInstance_T, instance_deleter>;

struct seen_device {
    std::string name;
    std::string driver;
    vulkan_kind kind = vulkan_kind::cpu;
};

std::vector<seen_device> & seen_devices() {
    static std::vector<seen_device> devices;
    return devices;
}

// ggml needs this version (ggml_vk_instance_init).
constexpr uint32_t LEAST_VERSION = VK_API_VERSION_1_2;

instance_handle start_vulkan() {
    uint32_t version = 0;
    if (vkEnumerateInstanceVersion(&version) != VK_SUCCESS || version < LEAST_VERSION) {
        return nullptr;
    }
    VkApplicationInfo application = {};
    application.sType             = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion        = LEAST_VERSION;
    VkInstanceCreateInfo info     = {};
    info.sType                    = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo         = &application;
    VkInstance instance           = VK_NULL_HANDLE;
    return vkCreateInstance(&info, nullptr, &instance) == VK_SUCCESS ? instance_handle(instance) : nullptr;
}

vulkan_kind kind_of(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return vulkan_kind::discrete;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return vulkan_kind::integrated;
        default: return vulkan_kind::cpu;
    }
}

seen_device describe(VkPhysicalDevice device) {
    VkPhysicalDeviceDriverProperties driver = {};
    driver.sType                            = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceProperties2 properties  = {};
    properties.sType                        = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext                        = &driver;
    VkPhysicalDeviceProperties first        = {};
    vkGetPhysicalDeviceProperties(device, &first);
    if (first.apiVersion < LEAST_VERSION) {
        return {first.deviceName, "", kind_of(first.deviceType)};
    }
    vkGetPhysicalDeviceProperties2(device, &properties);
    const std::string name = driver.driverName;
    const std::string info = driver.driverInfo;
    return {first.deviceName, info.empty() ? name : name + " " + info, kind_of(first.deviceType)};
}

std::vector<seen_device> find_devices() {
    const instance_handle instance = start_vulkan();
    uint32_t              count    = 0;
    if (instance == nullptr || vkEnumeratePhysicalDevices(instance.get(), &count, nullptr) != VK_SUCCESS) {
        return {};
    }
    std::vector<VkPhysicalDevice> devices(count);
    if (vkEnumeratePhysicalDevices(instance.get(), &count, devices.data()) != VK_SUCCESS) {
        return {};
    }
    devices.resize(count);
    std::vector<seen_device> found;
    std::transform(devices.begin(), devices.end(), std::back_inserter(found), describe);
    return found;
}

// By itself ggml leaves out processors, and GPUs that a second driver offers too. So its numbers would not be Vulkan's.
void show_every_device_to_ggml(size_t count) {
    std::string indices;
    for (size_t i = 0; i < count; ++i) {
        indices += (i == 0 ? "" : ",") + std::to_string(i);
    }
#if defined(_WIN32)
    _putenv_s("GGML_VK_VISIBLE_DEVICES", indices.c_str());
#else
    setenv("GGML_VK_VISIBLE_DEVICES", indices.c_str(), /*overwrite =*/1);
#endif
}

} // namespace

void register_vulkan_devices() {
    static std::once_flag once;
    std::call_once(once, [] {
        std::vector<seen_device> found = find_devices();
        if (found.empty()) {
            return;
        }
        show_every_device_to_ggml(found.size());
        ggml_backend_reg_t vulkan = ggml_backend_vk_reg();
        if (vulkan == nullptr || ggml_backend_reg_dev_count(vulkan) != found.size()) {
            return;
        }
        seen_devices() = std::move(found);
        ggml_backend_register(vulkan);
    });
}

std::vector<vulkan_device> list_vulkan_devices() {
    std::vector<vulkan_device> devices;
    ggml_backend_reg_t         vulkan = seen_devices().empty() ? nullptr : ggml_backend_vk_reg();
    for (size_t i = 0; i < seen_devices().size(); ++i) {
        const seen_device &      seen   = seen_devices()[i];
        const ggml_backend_dev_t device = ggml_backend_reg_dev_get(vulkan, i);
        size_t                   free   = 0;
        size_t                   total  = 0;
        ggml_backend_dev_memory(device, &free, &total);
        devices.push_back(
            {ggml_backend_dev_name(device), seen.name, seen.driver, seen.kind, total, std::min(free, total)});
    }
    return devices;
}

} // namespace inkling

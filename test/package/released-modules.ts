/** The native modules that a released package holds, by target. PUBLISHING.md promises them. */
export const RELEASED_MODULES: Readonly<Record<string, readonly string[]>> = {
  'linux-x64': ['inkling-avx2.node', 'inkling-avx512.node', 'inkling-cpu.node', 'inkling-vulkan.node'],
  'linux-arm64': ['inkling-arm64.node', 'inkling-cpu.node', 'inkling-dotprod.node', 'inkling-vulkan.node'],
  'win32-x64': ['inkling-avx2.node', 'inkling-avx512.node', 'inkling-cpu.node', 'inkling-vulkan.node'],
  'darwin-arm64': ['inkling.node'],
  'darwin-x64': ['inkling-avx2.node', 'inkling-cpu.node'],
};

/** Made only where the building machine has glslc and Vulkan's headers. */
export const VULKAN_MODULE = 'inkling-vulkan.node';

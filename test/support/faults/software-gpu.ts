import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { NATIVE_DIRECTORY } from '../addon.js';
import { REPOSITORY_ROOT } from '../source-tree.js';

const MANIFESTS = '/usr/share/vulkan/icd.d';

/**
 * Why there is no GPU for tests: llvmpipe, Mesa's Vulkan driver that computes on the processor (Debian:
 * mesa-vulkan-drivers), and the flavour for GPUs. Null where both are there. Says on the console what is left out.
 *
 * @param leftOut what does not run without them
 */
export function lacksSoftwareGpu(leftOut: string): string | null {
  const flavour = path.join(NATIVE_DIRECTORY, 'inkling-vulkan.node');
  const wasBuilt = existsSync(flavour) ? null : `${flavour} was not built (INKLING_VULKAN)`;
  const reason = wasBuilt ?? (llvmpipeManifest() === null ? `${MANIFESTS}/lvp_icd.*.json is missing` : null);
  if (reason === null) return null;
  if (process.env.INKLING_VULKAN_TESTS === 'required') throw new Error(`${leftOut} cannot run: ${reason}`);
  console.warn(`LEFT OUT: ${leftOut}: ${reason}`);
  return reason;
}

/**
 * Makes the driver of programs/llvmpipe.c, which says why it is needed.
 *
 * @param folder gets the library and its manifest
 * @returns what a process needs in its environment to have this driver alone
 */
export function softwareGpu(folder: string): { readonly VK_DRIVER_FILES: string } {
  const manifest: unknown = JSON.parse(readFileSync(llvmpipeManifest() ?? '', 'utf8'));
  const library = (manifest as { ICD: { library_path: string } }).ICD.library_path;
  const source = path.join(REPOSITORY_ROOT, 'test/support/programs/llvmpipe.c');
  return { VK_DRIVER_FILES: driver(folder, source, [`-DLLVMPIPE="${library}"`]) };
}

/** How a driver fails, and the argument of the programs that see it; an empty text for not. */
export type DriverFault = '' | `${'start' | 'crash' | 'hang' | 'lost' | 'full'}${'' | ' --stdio'}`;

/** As `softwareGpu`, with a way to have it fail. */
export function faultyGpu(folder: string) {
  const INKLING_TEST_DRIVER_FAULT = path.join(folder, 'fault');
  const fail = (fault: DriverFault): void => writeFileSync(INKLING_TEST_DRIVER_FAULT, fault);
  return { environment: { ...softwareGpu(folder), INKLING_TEST_DRIVER_FAULT }, fail };
}

/**
 * Makes a driver of C code, such as one that breaks.
 *
 * @returns what a process needs in its environment to have this driver alone
 */
export function madeDriver(folder: string, code: string): { readonly VK_DRIVER_FILES: string } {
  const source = path.join(folder, 'driver.c');
  writeFileSync(source, code);
  return { VK_DRIVER_FILES: driver(folder, source, []) };
}

function driver(folder: string, source: string, options: readonly string[]): string {
  const library = path.join(folder, 'driver.so');
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, ...options, source, '-ldl']);
  const manifest = path.join(folder, 'driver.json');
  const ICD = { library_path: library, api_version: '1.3.0' };
  writeFileSync(manifest, JSON.stringify({ file_format_version: '1.0.0', ICD }));
  return manifest;
}

function llvmpipeManifest(): string | null {
  const name = existsSync(MANIFESTS) ? readdirSync(MANIFESTS).find((each) => each.startsWith('lvp_icd.')) : undefined;
  return name === undefined ? null : path.join(MANIFESTS, name);
}

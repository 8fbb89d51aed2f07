import { probeDevices } from '../../../server/src/engine/devices/probe-devices.js';
import { serverBundle } from './server-process.js';

/** Has the built server look for devices, in its process for that. */
export function probe(
  environment: NodeJS.ProcessEnv,
  options: { readonly limitMs?: number; readonly triesAll?: boolean } = {},
) {
  const signal = new AbortController().signal;
  return probeDevices({ program: serverBundle, environment: { ...process.env, ...environment }, signal, ...options });
}

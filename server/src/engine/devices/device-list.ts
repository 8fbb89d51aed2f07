import { isRecord } from '../../../protocol/index.js';
import type { JsonFile } from '../../util/json-file.js';
import type { Log } from '../../util/log.js';
import { type GpuDevice, parseDevices, type Trial } from './gpu-device.js';
import type { ProbeResult } from './probe-devices.js';

export interface DeviceListOptions {
  /** Keeps the result for the next process. */
  readonly file: Pick<JsonFile, 'read' | 'write'>;
  /** What the result holds for; null where there is no addon for GPUs, so that no device is looked for. */
  readonly identity: string | null;
  readonly probe: (signal: AbortSignal) => Promise<ProbeResult>;
  readonly log: Log;
}

/**
 * The devices that models can run on besides the processor. What an earlier process found counts as long as the drivers
 * are the same. Otherwise they are probed once, while models load for the processor.
 */
export class DeviceList {
  readonly #options: DeviceListOptions;
  readonly #ended = new AbortController();
  #devices: readonly GpuDevice[] | null;
  #probing = false;

  constructor(options: DeviceListOptions) {
    this.#options = options;
    this.#devices = options.identity === null ? [] : parseStored(options.file.read(), options.identity);
    this.#list(this.#devices ?? []);
  }

  /** Null before they are known. */
  get devices(): readonly GpuDevice[] | null {
    return this.#devices;
  }

  /**
   * Finds out, if they are not known. Never rejects.
   *
   * @param found called where that took a probe
   */
  async discover(found: () => void): Promise<void> {
    if (this.#devices !== null || this.#probing) return;
    const { probe, file, identity, log } = this.#options;
    this.#probing = true;
    const startedAt = performance.now();
    const { devices, problem } = await probe(this.#ended.signal);
    this.#probing = false;
    if (this.#ended.signal.aborted) return;
    this.#list(devices);
    if (problem !== null) log.warn(`Looking for GPUs: the probe ${problem}`);
    log.info(`Looked for GPUs in ${Math.round(performance.now() - startedAt)} ms: ${devices.length} found`);
    this.#devices = devices;
    file.write({ identity, devices });
    found();
  }

  #list(devices: readonly GpuDevice[]): void {
    for (const [index, { name, driver, kind, trial }] of devices.entries()) {
      this.#options.log.info(`Device ${index}: ${name} (${kind}, ${driver}): ${resultOf(trial)}`);
    }
  }

  /** The user wants to try again: what is known counts no more. */
  forget(): void {
    if (this.#options.identity !== null) this.#devices = null;
  }

  dispose(): void {
    this.#ended.abort();
  }
}

function resultOf(trial: Trial): string {
  switch (trial.kind) {
    case 'works':
      return `${Math.round(trial.deviceMs)} ms for what takes the processor ${Math.round(trial.cpuMs)} ms`;
    case 'failed':
      return trial.reason;
    case 'untried':
      return 'used only if the settings name it';
  }
}

function parseStored(stored: unknown, identity: string): readonly GpuDevice[] | null {
  return isRecord(stored) && stored.identity === identity ? parseDevices(stored.devices) : null;
}

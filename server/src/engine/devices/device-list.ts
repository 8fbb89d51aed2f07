import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../protocol/index.js';
import type { JsonFile } from '../../util/files/json-file.js';
import type { Log } from '../../util/log.js';
import { type GpuDevice, parseDevices, type Trial } from './gpu-device.js';
import type { ProbeResult } from './probe-devices.js';

export interface DeviceListOptions {
  /** Keeps the result for the next process. */
  readonly file: Pick<JsonFile, 'read' | 'write'>;
  /** What the result holds for; null where there is no addon for GPUs, so that no device is looked for. */
  readonly identity: string | null;
  /** Differs after each start of the machine. What failed may work then. */
  readonly machineStart: string;
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
  #probing: Promise<void> | null = null;

  constructor(options: DeviceListOptions) {
    this.#options = options;
    this.#devices = options.identity === null ? [] : parseStored(options.file.read(), options);
    this.#list(this.#devices ?? []);
  }

  /** Null before they are known. */
  get devices(): readonly GpuDevice[] | null {
    return this.#devices;
  }

  /** Finds out, if they are not known. Never rejects. @param found called where that took a probe */
  async discover(found: () => void): Promise<void> {
    if (this.#devices !== null || this.#probing !== null) return;
    await this.#probe();
    if (!this.#ended.signal.aborted) found();
  }

  /**
   * The user wants to try again: probes, whatever is known. That counts until then. Never rejects.
   *
   * @param found called in any case; `hasChanged` says whether other devices can be used than before
   */
  async discoverAgain(found: (hasChanged: boolean) => void): Promise<void> {
    const before = this.#devices;
    if (this.#options.identity !== null) await this.#probe();
    const hasChanged = !isDeepStrictEqual(before?.map(usabilityOf), this.#devices?.map(usabilityOf));
    if (!this.#ended.signal.aborted) found(hasChanged);
  }

  dispose(): void {
    this.#ended.abort();
  }

  /** One at a time. */
  #probe(): Promise<void> {
    this.#probing ??= this.#find().finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  async #find(): Promise<void> {
    const { probe, file, identity, machineStart, log } = this.#options;
    const startedAt = performance.now();
    const { devices, problem } = await probe(this.#ended.signal);
    if (this.#ended.signal.aborted) return;
    this.#list(devices);
    if (problem !== null) log.warn(`Looking for GPUs: the probe ${problem}`);
    log.info(`Looked for GPUs in ${Math.round(performance.now() - startedAt)} ms: ${devices.length} found`);
    this.#devices = devices;
    const failed = problem !== null || devices.some(({ trial }) => trial.kind === 'failed');
    file.write({ identity, devices, onlyFor: failed ? machineStart : null });
  }

  #list(devices: readonly GpuDevice[]): void {
    for (const [index, { name, driver, kind, trial }] of devices.entries()) {
      this.#options.log.info(`Device ${index}: ${name} (${kind}, ${driver}): ${resultOf(trial)}`);
    }
  }
}

/** The facts of a device that stay the same from probe to probe. */
function usabilityOf({ id, name, driver, kind, trial }: GpuDevice): readonly string[] {
  return [id, name, driver, kind, trial.kind];
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

function parseStored(stored: unknown, { identity, machineStart }: DeviceListOptions): readonly GpuDevice[] | null {
  if (!isRecord(stored) || stored.identity !== identity) return null;
  const { onlyFor } = stored;
  return onlyFor === null || onlyFor === machineStart ? parseDevices(stored.devices) : null;
}

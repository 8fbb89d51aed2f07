import { type EngineErrorCode, type EngineErrorInfo, t } from '../../../protocol/index.js';

/** With these codes a load onto a device may fail where the processor, or a later attempt, succeeds. */
const OF_DEVICES = new Set<EngineErrorCode>([
  'outOfMemory',
  'loadFailed',
  'deviceFailed',
  'deviceLost',
  'addonUnavailable',
]);
/** The GPU itself failed, whatever the model. */
const LOSSES = new Set<EngineErrorCode>(['deviceFailed', 'deviceLost', 'addonUnavailable']);

/**
 * Loads onto devices that failed, but left the process alive. Plans leave out what failed, until the user wants to try
 * again or the process ends: there may be more memory then.
 */
export class DeviceFailures {
  /** By model, and then by device. */
  readonly #failures = new Map<string, Map<string, EngineErrorInfo>>();
  readonly #unseen = new Set<string>();

  /** @returns whether the GPU is at fault, and not only the model too large for it */
  note(path: string, device: string, error: EngineErrorInfo): boolean {
    if (!OF_DEVICES.has(error.code)) return false;
    const ofModel = this.#failures.get(path) ?? new Map<string, EngineErrorInfo>();
    this.#failures.set(path, ofModel.set(device, error));
    this.#unseen.add(path);
    return LOSSES.has(error.code);
  }

  /** Why a load of this model failed on a device; null if none did. */
  of(path: string, device: string): EngineErrorInfo | null {
    return this.#failures.get(path)?.get(device) ?? null;
  }

  /** @returns whether a load of this model failed on a device since the last call: another plan would then differ */
  takeNew(path: string): boolean {
    return this.#unseen.delete(path);
  }

  /** The user wants to try again. @returns whether anything had failed */
  forget(): boolean {
    const hadAny = this.#failures.size > 0;
    this.#failures.clear();
    this.#unseen.clear();
    return hadAny;
  }
}

export function loadFailedOn(device: string, { message }: EngineErrorInfo): EngineErrorInfo {
  return {
    code: 'deviceUnusable',
    message: t('The model could not be loaded onto {0}, so the processor is used. {1}', device, message),
  };
}

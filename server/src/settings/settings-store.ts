import type { InklingSettings } from '../../protocol/index.js';
import { DEFAULT_SETTINGS } from '../../protocol/index.js';
import { Emitter } from '../util/emitter.js';
import type { Log } from '../util/log.js';
import { parseSettings } from './parse-settings.js';

/** The current settings. Clients send the whole object each time, so an update replaces everything. */
export class SettingsStore {
  readonly #changed = new Emitter<InklingSettings>();
  readonly #log: Log;
  #current: InklingSettings = DEFAULT_SETTINGS;

  constructor(log: Log) {
    this.#log = log;
  }

  readonly onDidChange = this.#changed.event;

  get current(): InklingSettings {
    return this.#current;
  }

  update(value: unknown): void {
    const { settings, problems } = parseSettings(value);
    for (const problem of problems) this.#log.warn(problem);
    this.#current = settings;
    this.#changed.fire(settings);
  }
}

/** Whether Inkling offers completions in this language: its own entry, then that of `*`, then yes. */
export function languageEnabled(settings: InklingSettings, languageId: string): boolean {
  const { languages } = settings;
  if (Object.hasOwn(languages, languageId)) return languages[languageId] === true;
  return languages['*'] ?? true;
}

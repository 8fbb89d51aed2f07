import { cpus } from 'node:os';
import { join } from 'node:path';
import type { EngineHost } from './engine/lifecycle/engine-host.js';
import { decodeSpeed, prefillSpeed } from './engine/measured/generation-speed.js';
import { MeasuredSpeeds, UNDISTURBED } from './engine/measured/measured-speeds.js';
import type { ServerOptions } from './server-options.js';
import { JsonFile } from './util/files/json-file.js';
import type { Log } from './util/log.js';

/** How fast models were on this machine, in this process and earlier ones. */
export interface Speeds {
  readonly prefill: MeasuredSpeeds;
  readonly decode: MeasuredSpeeds;
  /** Measures what these hosts' models do from now on. */
  follow(host: EngineHost, chatHost: EngineHost): void;
  flush(): void;
}

export function createSpeeds({ stateDirectory }: ServerOptions, log: Log): Speeds {
  const processor = cpus()[0]?.model ?? '';
  const fileOf = (name: string) => new JsonFile(stateDirectory && join(stateDirectory, name), log);
  const [prefillFile, decodeFile] = [fileOf('prefill-speeds.json'), fileOf('decode-speeds.json')];
  const prefill = new MeasuredSpeeds(prefillFile, processor, prefillSpeed);
  const decode = new MeasuredSpeeds(decodeFile, processor, decodeSpeed, UNDISTURBED);
  return {
    prefill,
    decode,
    follow: (host, chatHost) => {
      // The first host measures its prefill by itself: the length of its prompts follows from it.
      chatHost.client.onDidGenerate(({ facts, result }) => prefill.add(facts, result));
      for (const { client } of [host, chatHost]) client.onDidGenerate(({ facts, result }) => decode.add(facts, result));
    },
    flush: () => {
      prefillFile.flush();
      decodeFile.flush();
    },
  };
}

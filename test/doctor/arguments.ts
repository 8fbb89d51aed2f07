import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { AUTOMATIC } from '../../server/src/engine/devices/choose-device.js';

export type DoctorCommand =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'examine';
      /** Null for the starter model. */
      readonly modelPath: string | null;
      /** As `inkling.engine.device`. */
      readonly device: string;
      /** Whose keys are shown; null for none. */
      readonly prompt: string | null;
    };

export const USAGE = `Usage: npm run doctor -- [--model GGUF] [--device NAME] [--inspect-keys FILE | --inspect-keys --text TEXT]

Prints what this machine and this build of Inkling are: devices, memory, whether the model fits, and how fast it is with
drafts and without.

  --model GGUF     loads this model, not the starter model
  --device NAME    loads it onto this device, as inkling.engine.device does: a number, an id, a name or cpu; default: auto
  --inspect-keys   also prints how long the key vectors of a prompt are: that of FILE, or TEXT
  --help           prints this text
`;

/** @throws Error for what makes no sense, in words */
export function parseDoctorArguments(args: readonly string[]): DoctorCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      model: { type: 'string' },
      device: { type: 'string' },
      'inspect-keys': { type: 'boolean' },
      text: { type: 'string' },
    },
  });
  if (values.help) return { kind: 'help' };
  const sources = positionals.length + (values.text === undefined ? 0 : 1);
  if (sources !== (values['inspect-keys'] ? 1 : 0)) {
    throw new Error('--inspect-keys needs one FILE, or --text TEXT; nothing else takes them');
  }
  const [file] = positionals;
  const prompt = values.text ?? (file === undefined ? null : readFileSync(file, 'utf8'));
  return { kind: 'examine', modelPath: values.model ?? null, device: values.device ?? AUTOMATIC, prompt };
}

/** One thing that fingers do. */
export type TraceStep =
  /** A key, or Enter with the indentation that the editor adds. `rest`: what is going to be typed at this place. */
  | { readonly kind: 'type'; readonly text: string; readonly rest: string; readonly pauseMs: number }
  /** A wrong key, noticed at once and deleted. */
  | { readonly kind: 'mistake'; readonly text: string; readonly pauseMs: number }
  /** The cursor goes to the only occurrence of a marker, just behind it. */
  | { readonly kind: 'jump'; readonly behind: string; readonly pauseMs: number };

/** A document and what somebody does in it. */
export interface TypingTrace {
  readonly name: string;
  readonly languageId: string;
  readonly text: string;
  readonly steps: readonly TraceStep[];
}

/** A piece of a source file that is taken out and typed in again. */
export interface Passage {
  /** Occurs once in the file; the passage follows it. */
  readonly behind: string;
  readonly text: string;
}

/** Milliseconds between keys, as of a practised typist. */
const INTERVALS_MS = [95, 70, 120, 80, 60, 140, 85, 75, 110, 65];
const AFTER_ENTER_MS = 260;
const LOOKING_MS = 450;
/** Every so many keys one is wrong. */
const KEYS_TO_A_MISTAKE = 29;

/** Takes the passages out of a source text and types them in again, in their order, with a mistake here and there. */
export function typingTrace(
  name: string,
  languageId: string,
  source: string,
  passages: readonly Passage[],
): TypingTrace {
  let text = source;
  for (const { behind, text: passage } of passages) {
    const whole = behind + passage;
    if (source.split(whole).length !== 2 || source.split(behind).length !== 2) {
      throw new Error(`${name}: ${JSON.stringify(behind)} and what follows must occur once`);
    }
    text = text.replace(whole, () => behind);
  }
  const steps: TraceStep[] = [];
  let keys = 0;
  for (const { behind, text: passage } of passages) {
    steps.push({ kind: 'jump', behind, pauseMs: LOOKING_MS });
    for (let at = 0; at < passage.length; ) {
      const key = /^\n[ \t]*/.exec(passage.slice(at))?.[0] ?? passage[at] ?? '';
      const pauseMs = key.length > 1 ? AFTER_ENTER_MS : (INTERVALS_MS[keys % INTERVALS_MS.length] ?? 0);
      keys += 1;
      if (keys % KEYS_TO_A_MISTAKE === 0) {
        steps.push({ kind: 'mistake', text: 'q', pauseMs });
      }
      at += key.length;
      steps.push({ kind: 'type', text: key, rest: passage.slice(at), pauseMs });
    }
  }
  return { name, languageId, text, steps };
}

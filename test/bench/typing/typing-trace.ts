/** One step of typing. */
export type TraceStep =
  /** A key, or Enter with the editor's indentation. `rest`: the text still to be typed here. */
  | { readonly kind: 'type'; readonly text: string; readonly rest: string; readonly pauseMs: number }
  /** A wrong key, deleted at once. */
  | { readonly kind: 'mistake'; readonly text: string; readonly pauseMs: number }
  /** Moves the cursor after the only occurrence of a marker. */
  | { readonly kind: 'jump'; readonly behind: string; readonly pauseMs: number };

/** A document, and the steps that somebody takes in it. */
export interface TypingTrace {
  readonly name: string;
  readonly languageId: string;
  readonly text: string;
  readonly steps: readonly TraceStep[];
}

/** A piece of a source file that is removed and typed again. */
export interface Passage {
  /** Occurs once in the file; the passage follows it. */
  readonly behind: string;
  readonly text: string;
}

/** Milliseconds between keys of a practised typist. */
const INTERVALS_MS = [95, 70, 120, 80, 60, 140, 85, 75, 110, 65];
const AFTER_ENTER_MS = 260;
const LOOKING_MS = 450;
/** One key in this many is wrong. */
const KEYS_TO_A_MISTAKE = 29;

/** Removes the passages from a source text and types them again in order, with occasional mistakes. */
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

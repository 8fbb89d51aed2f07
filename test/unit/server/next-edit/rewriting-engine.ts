import type { GenerateRequest, GenerationResult } from '../../../../server/src/engine/port/generation.js';
import type { ModelFacts } from '../../../../server/src/engine/port/model-facts.js';
import type { ModelEditsEngine } from '../../../../server/src/next-edit/model-edits.js';
import { FACTS } from '../scripted-engine.js';

/** How sure it is of each character, and of the next best one. */
const SURE = { chosen: -0.001, next: -9 };

/**
 * A model whose tokens are characters. It answers with what it makes of the lines after the prompt's last header, and
 * after what the prompt already says of that answer.
 */
export class RewritingEngine implements ModelEditsEngine {
  facts: ModelFacts | null = { ...FACTS, nextEditFormat: 'sweep' };
  readonly requests: GenerateRequest[] = [];
  /** Spellings that are one token where special tokens are parsed. */
  special: ReadonlyMap<string, number> = new Map([['<|file_sep|>', 95]]);
  /** Characters that it said after its signal was aborted, as a real engine may. */
  saidLate = 0;
  /** Characters of the last answer. */
  said = 0;
  readonly #answerTo: (region: string) => string;

  /** @param answerTo the whole answer for a region */
  constructor(answerTo: (region: string) => string) {
    this.#answerTo = answerTo;
  }

  tokenize(text: string, options: { readonly parseSpecial?: boolean } = {}): Promise<readonly number[]> {
    const special = options.parseSpecial === true ? this.special.get(text) : undefined;
    return Promise.resolve(special === undefined ? [...text].map(codeOf) : [special]);
  }

  async generate(
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    this.requests.push(request);
    const text = request.prompt.filter((part) => typeof part === 'string').join('');
    const region = text.slice(text.lastIndexOf('current/'), text.lastIndexOf('updated/')).replace(/^.*\n/, '');
    const accepted = text.slice(text.indexOf('\n', text.lastIndexOf('updated/')) + 1);
    const whole = this.#answerTo(region);
    const answer = whole.slice(accepted.length, accepted.length + request.maxTokens);
    let said = '';
    for (const character of answer) {
      if (signal.aborted && this.saidLate-- <= 0) return this.#result(said, 'aborted', request);
      said += character;
      this.said = said.length;
      onText(character);
      await Promise.resolve();
    }
    const ended = accepted.length + said.length === whole.length;
    return this.#result(said, signal.aborted ? 'aborted' : ended ? 'endOfText' : 'maxTokens', request);
  }

  #result(
    text: string,
    stopReason: GenerationResult['stopReason'],
    { proposal = '' }: GenerateRequest,
  ): GenerationResult {
    const tokens = [...text].map(codeOf);
    return {
      text,
      tokens,
      logProbabilities: tokens.map(() => SURE.chosen),
      runnersUp: tokens.map((_, index) => ({ token: proposal.codePointAt(index) ?? 0, logProbability: SURE.next })),
      scores: [],
      stopReason,
      metrics: {
        promptTokens: 100,
        reusedTokens: 0,
        generatedTokens: tokens.length,
        prefillMs: 0,
        decodeMs: 0,
        local: null,
      },
    };
  }
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

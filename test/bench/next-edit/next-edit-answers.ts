import path from 'node:path';
import { AddonEngine } from '../../../server/src/engine/addon/addon-engine.js';
import type { GenerateRequest } from '../../../server/src/engine/port/generation.js';
import type { LocalModelFacts } from '../../../server/src/engine/port/model-facts.js';
import { readGgufHeader } from '../../../server/src/models/gguf/gguf-header.js';
import { formatOfModel } from '../../../server/src/next-edit/formats/format-of-model.js';
import type { RewriteFormat, RewriteQuestion } from '../../../server/src/next-edit/formats/rewrite-format.js';
import { departureGate } from '../../../server/src/next-edit/quiet/departure-gate.js';
import { gateOf, type RewriteGate } from '../../../server/src/next-edit/quiet/rewrite-gate.js';
import type { RewriteEngine } from '../../../server/src/next-edit/rewrite/proposal.js';
import { type ReadyPrompt, readyPrompt, SpecialTokenIds } from '../../../server/src/next-edit/rewrite/ready-prompt.js';
import { type RewriteOutcome, rewriteRegion } from '../../../server/src/next-edit/rewrite/rewriter.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';
import type { NextEditScenario } from './next-edit-scenarios.js';

/** As the server loads a model for suggestions. */
const CONTEXT_LENGTH = 2048;
const TIME_BUDGET_MS = 60_000;

/** A model that knows next edits, asked as the server asks it. */
export class NextEditModel {
  readonly #engine: AddonEngine;
  readonly #format: RewriteFormat;
  readonly #ids = new SpecialTokenIds();
  readonly facts: LocalModelFacts;
  /** Build of the addon, for the peer. */
  readonly flavour: string;

  private constructor(engine: AddonEngine, facts: LocalModelFacts, format: RewriteFormat, flavour: string) {
    this.#engine = engine;
    this.facts = facts;
    this.flavour = flavour;
    this.#format = format;
  }

  /** @throws for a model that knows none */
  static async load(file: string, threads: number): Promise<NextEditModel> {
    const { name, nextEditFormat } = await readGgufHeader(file);
    const format = formatOfModel({ name, path: file, nextEditFormat });
    if (format === null) throw new Error(`${file} does not say how it is asked for next edits`);
    const ignore = () => undefined;
    const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    const addon = openAddon(process.env.INKLING_CPU_FLAVOUR);
    const engine = new AddonEngine(addon, log);
    const facts = await engine.load({ path: file, threads, contextLength: CONTEXT_LENGTH }, ignore, never());
    return new NextEditModel(engine, facts, format, addon.flavour);
  }

  /** That of the server. */
  get gate(): RewriteGate {
    return gateOf({ isStarter: path.resolve(this.facts.path) === STARTER_MODEL });
  }

  get engine(): RewriteEngine {
    return {
      generate: (request: GenerateRequest, onText, signal) => this.#engine.generate(request, onText, signal),
      tokenize: (text, options) => this.#engine.tokenize(text, options),
    };
  }

  get mostEdits(): number {
    return this.#format.mostEdits;
  }

  promptFor(scenario: NextEditScenario): Promise<ReadyPrompt> {
    return readyPrompt(this.#format.promptFor(questionOf(scenario)), this.facts, this.#ids, this.engine);
  }

  /** The whole answer, whether it would be shown or not. */
  async answer(prompt: ReadyPrompt): Promise<RewriteOutcome> {
    return rewriteRegion(this.engine, prompt, null, TIME_BUDGET_MS, never());
  }

  /** Whether the server asks the model about such a region at all. */
  wouldAsk(scenario: NextEditScenario): boolean {
    return !this.gate.onlyRepeats || departureGate(this.gate, questionOf(scenario)).within !== null;
  }

  /** What the server asks for, however unsure the model is. */
  async answerWithin(scenario: NextEditScenario, prompt: ReadyPrompt): Promise<RewriteOutcome> {
    const gate = { ...departureGate(this.gate, questionOf(scenario)), canPass: () => true };
    return rewriteRegion(this.engine, prompt, gate, TIME_BUDGET_MS, never());
  }

  /** As far as the server follows it. */
  async answerAsServer(scenario: NextEditScenario, prompt: ReadyPrompt): Promise<RewriteOutcome> {
    const gate = departureGate(this.gate, questionOf(scenario));
    return rewriteRegion(this.engine, prompt, gate, TIME_BUDGET_MS, never());
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

export function questionOf({ path, line, edits, original, current }: NextEditScenario): RewriteQuestion {
  return {
    path,
    related: [],
    edits: edits.map((edit) => ({ ...edit, line: null })),
    firstLine: line,
    original,
    current,
    cursor: null,
    above: '',
    below: '',
  };
}

function never(): AbortSignal {
  return new AbortController().signal;
}

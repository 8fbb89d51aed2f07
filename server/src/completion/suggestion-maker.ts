import type { InklingSettings } from '../../protocol/index.js';
import type { EngineClient } from '../engine/lifecycle/engine-client.js';
import { oneModel } from '../engine/lifecycle/one-model.js';
import { EngineError } from '../engine/port/engine-error.js';
import type { ModelFacts } from '../engine/port/model-facts.js';
import { EMPTY_CONTEXT } from '../prompt/context-block.js';
import { buildFimPrompt, type FimPrompt, frameTokens, type PromptMiddle } from '../prompt/fim-prompt.js';
import type { FimTemplate } from '../prompt/fim-template.js';
import { contextBudget } from '../prompt/token-budget.js';
import type { SyntaxSource } from '../syntax/syntax.js';
import { type Anchor, type AnchorBudget, createAnchor, middleOf } from './anchor/anchor.js';
import type { AnchorKeeper } from './anchor/anchor-keeper.js';
import { cursorSyntaxAt } from './cursor/cursor-syntax.js';
import { branchesOf } from './generation/branching.js';
import {
  generateMiddle,
  type MiddleObserver,
  type MiddleQuestion,
  NO_OBSERVER,
} from './generation/middle-generation.js';
import { chooseStopRule } from './generation/stop-rule.js';
import type { MadeSuggestion } from './postprocess/made-suggestion.js';
import { type PostProcessed, postProcess } from './postprocess/post-process.js';
import type { ContextProvider } from './request/context-provider.js';
import type { Question, ReadyModel } from './request/question.js';
import type { RecentEdits } from './request/recent-edits.js';

const MOST_MIDDLE_TOKENS = 256;

/** How many alternatives the user can cycle through besides the first, and the time limit for all of them. */
const MOST_OTHERS = 3;
const OTHERS_MS = 800;

const STOPPED: PostProcessed = { kind: 'dropped', by: 'nothingGenerated', sentence: '', error: null };

/** From a question to a suggestion: anchor, prompt, generation, filters. */
export class SuggestionMaker {
  readonly #client: EngineClient;
  readonly #anchors: AnchorKeeper;
  readonly #syntax: SyntaxSource;
  readonly #context: ContextProvider;
  readonly #recentEdits: RecentEdits;

  constructor(
    client: EngineClient,
    anchors: AnchorKeeper,
    syntax: SyntaxSource,
    context: ContextProvider,
    recentEdits: RecentEdits,
  ) {
    this.#client = client;
    this.#anchors = anchors;
    this.#syntax = syntax;
    this.#context = context;
    this.#recentEdits = recentEdits;
  }

  /**
   * @param draft what an earlier suggestion put here; empty without one
   * @throws EngineError
   */
  async make(
    question: Question,
    model: ReadyModel,
    settings: InklingSettings,
    draft: string,
    observer: MiddleObserver,
    signal: AbortSignal,
  ): Promise<MadeSuggestion> {
    const { cursor, place, request } = question;
    const { template } = model;
    const { document, offset, selected } = request;
    const { path } = document;
    const { maxTokens, budget } = requestBudget(model, path, settings.maxTokens);
    const context = this.#context.contextFor(document, offset, contextBudget(budget.surroundings));
    const { anchor, reanchored } = this.#anchors.anchorFor(place, budget, context);
    const rule = chooseStopRule(cursor, cursorSyntaxAt(this.#syntax, document, offset, selected));
    const questionFrom = (from: Anchor): MiddleQuestion => {
      const middle = middleOf(from, place);
      return {
        prompt: promptFrom(from, template, path, middle),
        template,
        heal: model.facts.capabilities.heals && canHeal(middle),
        rule,
        maxTokens,
        timeBudgetMs: settings.timeBudgetMs,
        speculation: settings.speculation,
        draft,
        runnersUp: request.trigger === 'invoked',
        branch: [],
      };
    };
    let asked = questionFrom(anchor);
    // A suggestion may take several requests.
    const client = oneModel(this.#client, model.facts);
    const generate = () => generateMiddle(client, asked, observer, signal);
    // The budget is an estimate by characters. Text that the vocabulary covers poorly takes far more tokens.
    const generateShorter = (share: number) => (error: unknown) => {
      const sameModel = this.#client.facts === model.facts;
      if (!(error instanceof EngineError) || error.code !== 'promptTooLong' || signal.aborted || !sameModel)
        throw error;
      const part = { surroundings: Math.floor(budget.surroundings * share), middle: Math.floor(budget.middle * share) };
      const shorter = createAnchor(place, anchor.offset, part, EMPTY_CONTEXT);
      this.#anchors.set(shorter);
      asked = questionFrom(shorter);
      return generate();
    };
    const generated = await generate()
      .catch(generateShorter(1 / 2))
      .catch(generateShorter(1 / 4));
    // Nobody sees it, and its document may be closed: a tree made now would never be freed.
    const processed = signal.aborted ? STOPPED : this.filter(question, generated.text, generated.finished);
    return { asked, generated, processed, reanchored };
  }

  /**
   * Alternatives for the same place: each takes another token where the model was in doubt. All of them share one short
   * time limit.
   */
  async makeOthers(
    question: Question,
    { facts }: ReadyModel,
    made: MadeSuggestion,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { asked, generated, processed } = made;
    if (processed.kind === 'dropped') return [];
    const deadline = performance.now() + OTHERS_MS;
    const share = processed.text.length / Math.max(1, generated.result.text.length);
    const texts = new Set([processed.text]);
    for (const branch of branchesOf(generated.result, share, MOST_OTHERS)) {
      const timeBudgetMs = Math.floor(deadline - performance.now());
      if (signal.aborted || timeBudgetMs <= 0) break;
      const branched = { ...asked, branch, timeBudgetMs, draft: '', runnersUp: false };
      const other = await generateMiddle(oneModel(this.#client, facts), branched, NO_OBSERVER, signal);
      // Some words of a line that the time limit cut off, perhaps half of one, are no alternative.
      if (!other.finished && other.result.stopReason === 'timeBudget' && !other.text.includes('\n')) break;
      const left = this.filter(question, other.text, other.finished);
      if (left.kind === 'kept') texts.add(left.text);
    }
    return [...texts].slice(1);
  }

  /** What the filters leave of a text at the question's cursor. */
  filter({ cursor, request }: Question, text: string, finished: boolean): PostProcessed {
    const { document, offset, selected } = request;
    return postProcess({
      text,
      finished,
      cursor,
      offset,
      syntax: cursorSyntaxAt(this.#syntax, document, offset, selected),
      path: document.path,
      recentEdits: this.#recentEdits.of(document.uri),
    });
  }
}

export function promptFrom(
  anchor: Anchor,
  template: FimTemplate,
  path: string | null,
  middle: PromptMiddle,
): FimPrompt {
  const { context, prefix, suffix } = anchor;
  return buildFimPrompt({ template, path, context, prefix, suffix, middle });
}

/** Whether there are typed tokens to heal. A text that ends with a line end begins no word. */
export function canHeal({ typed }: PromptMiddle): boolean {
  return typed !== '' && !typed.endsWith('\n');
}

interface BudgetFacts {
  readonly facts: Pick<ModelFacts, 'contextLength'>;
  readonly template: FimTemplate;
  readonly promptTokens: number;
}

/**
 * How many tokens the parts of a request may take in the model's context.
 *
 * @param wanted length limit of the answer
 */
export function requestBudget(
  { facts, template, promptTokens }: BudgetFacts,
  path: string | null,
  wanted: number,
): { readonly maxTokens: number; readonly budget: AnchorBudget } {
  const maxTokens = Math.min(wanted, Math.floor(facts.contextLength / 2));
  const prompt = Math.min(promptTokens, facts.contextLength - maxTokens);
  const middle = Math.min(MOST_MIDDLE_TOKENS, Math.floor(prompt / 4));
  return { maxTokens, budget: { surroundings: Math.max(0, prompt - middle - frameTokens(template, path)), middle } };
}

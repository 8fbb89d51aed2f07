import type { InklingSettings } from '../../protocol/index.js';
import { EngineError } from '../engine/engine-error.js';
import type { EngineHost } from '../engine/engine-host.js';
import { EMPTY_CONTEXT } from '../prompt/context-block.js';
import { buildFimPrompt, type FimPrompt, frameTokens, type PromptMiddle } from '../prompt/fim-prompt.js';
import type { FimTemplate } from '../prompt/fim-template.js';
import { contextBudget } from '../prompt/token-budget.js';
import type { SyntaxSource } from '../syntax/syntax.js';
import { type Anchor, type AnchorBudget, createAnchor, middleOf, type ReanchorReason } from './anchor.js';
import type { AnchorKeeper } from './anchor-keeper.js';
import type { ContextProvider } from './context-provider.js';
import { cursorSyntaxAt } from './cursor-syntax.js';
import type { LearnedConfidence } from './learned-confidence.js';
import { type GeneratedMiddle, generateMiddle } from './middle-generation.js';
import type { Confidence } from './postprocess/filter.js';
import { type PostProcessed, postProcess } from './postprocess/post-process.js';
import type { Question, ReadyModel } from './question.js';
import type { RecentEdits } from './recent-edits.js';
import { chooseStopRule } from './stop-rule.js';

/** The models of today complete best well below their training context, and prefill time counts. */
const MAX_PROMPT_TOKENS = 1536;

const MOST_MIDDLE_TOKENS = 256;

export interface MadeSuggestion {
  readonly generated: GeneratedMiddle;
  readonly processed: PostProcessed;
  readonly reanchored: ReanchorReason | null;
}

/** From a question to a suggestion: anchor, prompt, generation, filters. */
export class SuggestionMaker {
  readonly #host: EngineHost;
  readonly #anchors: AnchorKeeper;
  readonly #syntax: SyntaxSource;
  readonly #context: ContextProvider;
  readonly #recentEdits: RecentEdits;
  readonly #confidence: LearnedConfidence;

  constructor(
    host: EngineHost,
    anchors: AnchorKeeper,
    syntax: SyntaxSource,
    context: ContextProvider,
    recentEdits: RecentEdits,
    confidence: LearnedConfidence,
  ) {
    this.#host = host;
    this.#anchors = anchors;
    this.#syntax = syntax;
    this.#context = context;
    this.#recentEdits = recentEdits;
    this.#confidence = confidence;
  }

  /**
   * @param draft what an earlier suggestion said would follow; empty where there is none
   * @param onText called with everything generated so far, and with how much of it may be shown
   * @throws EngineError
   */
  async make(
    question: Question,
    model: ReadyModel,
    settings: InklingSettings,
    draft: string,
    onText: (text: string, showable: number) => void,
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
    const generate = (from: Anchor): Promise<GeneratedMiddle> => {
      const middle = middleOf(from, place);
      return generateMiddle(
        this.#host,
        {
          prompt: promptFrom(from, template, path, middle),
          template,
          heal: canHeal(middle),
          rule,
          maxTokens,
          timeBudgetMs: settings.timeBudgetMs,
          draft,
        },
        onText,
        signal,
      );
    };
    const generated = await generate(anchor).catch((error: unknown) => {
      // The budget is an estimate by characters; text that the vocabulary hardly knows takes far more tokens.
      if (!(error instanceof EngineError) || error.code !== 'promptTooLong' || signal.aborted) throw error;
      const smaller = { surroundings: Math.floor(budget.surroundings / 4), middle: Math.floor(budget.middle / 4) };
      const shorter = createAnchor(place, anchor.offset, smaller, EMPTY_CONTEXT);
      this.#anchors.set(shorter);
      return generate(shorter);
    });
    const confidence = { ...generated.confidence, threshold: this.#confidence.threshold };
    const processed = this.filter(question, generated.text, generated.finished, confidence);
    return { generated, processed, reanchored };
  }

  /** What is left of a text that goes in at the question's cursor. */
  filter({ cursor, request }: Question, text: string, finished: boolean, confidence: Confidence | null): PostProcessed {
    const { document, offset, selected, trigger } = request;
    return postProcess({
      text,
      finished,
      cursor,
      offset,
      syntax: cursorSyntaxAt(this.#syntax, document, offset, selected),
      path: document.path,
      recentEdits: this.#recentEdits.of(document.uri),
      confidence,
      explicit: trigger === 'invoked',
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

/** Whether there are typed tokens that may be chosen again; what ends with a line end is no beginning of anything. */
export function canHeal({ typed }: PromptMiddle): boolean {
  return typed !== '' && !typed.endsWith('\n');
}

/**
 * How many tokens the parts of a request may have in the model's context.
 * @param wanted the longest answer that is asked for
 */
export function requestBudget(
  { facts, template }: ReadyModel,
  path: string | null,
  wanted: number,
): { readonly maxTokens: number; readonly budget: AnchorBudget } {
  const maxTokens = Math.min(wanted, Math.floor(facts.contextLength / 2));
  const prompt = Math.min(MAX_PROMPT_TOKENS, facts.contextLength - maxTokens);
  const middle = Math.min(MOST_MIDDLE_TOKENS, Math.floor(prompt / 4));
  return { maxTokens, budget: { surroundings: Math.max(0, prompt - middle - frameTokens(template, path)), middle } };
}

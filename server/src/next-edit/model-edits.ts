import { type InklingSettings, refuseLanguage } from '../../protocol/index.js';
import { oneModel } from '../engine/lifecycle/one-model.js';
import type { ModelFacts } from '../engine/port/model-facts.js';
import type { SyntaxSource } from '../syntax/syntax.js';
import type { Change } from '../util/smallest-change.js';
import type { FileFacts } from './file-facts.js';
import { formatOfModel } from './formats/format-of-model.js';
import type { RecentEdit, RewriteFormat } from './formats/rewrite-format.js';
import type { FinishedEdit } from './history/edit-history.js';
import { steadyWindow } from './history/steady-window.js';
import { departureGate } from './quiet/departure-gate.js';
import { type Judgement, judgeRewrite, type SilentReason } from './quiet/judge-rewrite.js';
import { gateOf, type RewriteGate } from './quiet/rewrite-gate.js';
import type { RewriteEngine } from './rewrite/proposal.js';
import { questionAt } from './rewrite/question-at.js';
import { readyPrompt, SpecialTokenIds } from './rewrite/ready-prompt.js';
import { byLikelihood, type LikelyRegion, likelyRegions, type Region } from './rewrite/regions.js';
import { type RewriteOutcome, rewriteRegion } from './rewrite/rewriter.js';
import { changesLines } from './rewrite/suggested-places.js';
import { type LineFeedText, withLineFeeds } from './text/line-feeds.js';

/** A document as it is at one moment. */
export interface RewrittenDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly text: string;
  /** Where the user is, in UTF-16 units; null in a document where the user is not. */
  readonly offset: number | null;
}

/** A document with its lines as prompts show them, and the cursor in those. */
interface PlacedDocument extends RewrittenDocument {
  readonly lines: LineFeedText;
  readonly cursor: number | null;
}

export interface ModelEditsEngine extends RewriteEngine {
  /** Facts of the loaded model; null while none is loaded. */
  readonly facts: ModelFacts | null;
}

export type NoModelEdit =
  | SilentReason
  | 'noModel'
  | 'noFormat'
  | 'remoteModel'
  | 'languageUnknown'
  | 'onBattery'
  | 'nothingSuggests'
  | 'noQuestion'
  | 'unfinished'
  | 'cancelled'
  | 'modelChanged';

export type ModelEdit =
  | {
      readonly kind: 'edit';
      readonly uri: string;
      readonly start: number;
      readonly end: number;
      readonly newText: string;
    }
  | { readonly kind: 'none'; readonly reason: NoModelEdit };

/** Some lines of a document, and the edits that its prompt shows. */
interface AskedRegion {
  readonly document: PlacedDocument;
  readonly region: LikelyRegion;
  readonly edits: readonly RecentEdit[];
}

const TIME_BUDGET_MS = 3_000;
/** The most regions on a GPU: more take too long. Without a GPU each one takes a second of processor time. */
const MOST_REGIONS = 3;

/** The next edit as the loaded model rewrites the lines where it may be. */
export class ModelEdits {
  readonly #engine: ModelEditsEngine;
  readonly #files: FileFacts;
  readonly #syntax: SyntaxSource;
  readonly #settings: () => InklingSettings;
  readonly #onBattery: () => Promise<boolean>;
  readonly #ids = new SpecialTokenIds();
  /** The format of the model that was asked last. */
  #format: { readonly facts: ModelFacts; readonly format: RewriteFormat | 'remote' | null } | null = null;

  /** @param onBattery whether the machine runs on battery: then the model is not asked, as that takes seconds of work */
  constructor(
    engine: ModelEditsEngine,
    files: FileFacts,
    syntax: SyntaxSource,
    settings: () => InklingSettings,
    onBattery: () => Promise<boolean>,
  ) {
    this.#engine = engine;
    this.#files = files;
    this.#syntax = syntax;
    this.#settings = settings;
    this.#onBattery = onBattery;
  }

  /**
   * Asks where an edit is likeliest: where a change could be repeated, then where the user is, then at names of the edits.
   *
   * @param others open documents that the user may be led to
   * @param edits of all files, oldest first
   * @throws EngineError
   */
  async find(
    document: RewrittenDocument,
    others: readonly RewrittenDocument[],
    edits: readonly FinishedEdit[],
    signal: AbortSignal,
  ): Promise<ModelEdit> {
    const { facts } = this.#engine;
    if (facts === null) return none('noModel');
    const format = this.#formatOf(facts);
    if (format === 'remote') return none('remoteModel');
    if (format === null) return none('noFormat');
    if (this.#refuses(facts, document)) return none('languageUnknown');
    if (await this.#onBattery()) return none('onBattery');
    const gate = gateOf(facts);
    const asked = await this.#regions(document, others, edits, format, facts, signal);
    if (signal.aborted) return none('cancelled');
    if (asked === null) return none('noQuestion');
    const suggested = asked.filter(({ region }) => suggests(region, gate, edits));
    if (suggested.length === 0) return none('nothingSuggests');
    let reason: NoModelEdit = 'noQuestion';
    for (const { document: each, region, edits: shown } of suggested.slice(0, mostRegions(facts))) {
      const judged = await this.#judgeRegion(each, region, shown, format, facts, gate, signal);
      if (signal.aborted) return none('cancelled');
      if (judged === null) continue;
      if (judged.kind === 'silent' && judged.reason === 'modelChanged') return none(judged.reason);
      if (judged.kind === 'show') return { kind: 'edit', uri: each.uri, ...placed(judged.change, region, each.lines) };
      // The first region is the likeliest, so its reason says most.
      if (reason === 'noQuestion') reason = judged.reason;
    }
    return none(reason);
  }

  /** Regions of all documents, the likeliest first; null where no edit may be shown. */
  async #regions(
    document: RewrittenDocument,
    others: readonly RewrittenDocument[],
    edits: readonly FinishedEdit[],
    format: RewriteFormat,
    facts: ModelFacts,
    signal: AbortSignal,
  ): Promise<readonly AskedRegion[] | null> {
    const latest = steadyWindow(edits, format.mostEdits);
    const regions: AskedRegion[] = [];
    let isAnyShown = false;
    for (const each of [document, ...others]) {
      const isOther = each !== document;
      // A long document takes some tens of milliseconds: the server handles a key in between.
      if (isOther) await new Promise(setImmediate);
      if (signal.aborted) return null;
      if (isOther && (this.#refuses(facts, each) || !(await this.#files.mayShow(each.uri, each.text)))) continue;
      const shown = await this.#shownEdits(each.uri, latest);
      if (signal.aborted) return null;
      if (shown.length === 0) continue;
      isAnyShown = true;
      const lines = withLineFeeds(each.text);
      const cursor = each.offset === null ? null : lines.fromOriginal(each.offset);
      const placedDocument = { ...each, lines, cursor };
      for (const region of likelyRegions(lines.text, cursor, shown, format.region)) {
        regions.push({ document: placedDocument, region, edits: shown });
      }
    }
    return isAnyShown ? regions.sort((one, other) => byLikelihood(one.region, other.region)) : null;
  }

  /** Null where there is nothing to ask. */
  async #judgeRegion(
    document: PlacedDocument,
    region: Region,
    edits: readonly RecentEdit[],
    format: RewriteFormat,
    facts: ModelFacts,
    gate: RewriteGate,
    signal: AbortSignal,
  ): Promise<
    Judgement | { readonly kind: 'silent'; readonly reason: 'unfinished' | 'cancelled' | 'modelChanged' } | null
  > {
    const { uri, lines, cursor } = document;
    const related = format.related ? this.#files.definitionsFor(uri) : [];
    const file = { path: this.#files.nameOf(uri), text: lines.text, cursor, related };
    const question = questionAt(file, region, edits, format, facts.contextLength);
    if (question === null) return null;
    const engine = oneModel(this.#engine, facts);
    const departures = departureGate(gate, question);
    let outcome: RewriteOutcome;
    try {
      const prompt = await readyPrompt(format.promptFor(question), facts, this.#ids, engine);
      outcome = await rewriteRegion(engine, prompt, departures, TIME_BUDGET_MS, signal);
    } catch (error) {
      // Another model may be loaded since, also between two rounds.
      if (this.#engine.facts !== facts) return { kind: 'silent', reason: 'modelChanged' };
      throw error;
    }
    if (outcome.kind === 'refused') return { kind: 'silent', reason: 'unsure' };
    // An engine that is closed ends its answers where they are.
    if (outcome.kind === 'unfinished' && this.#engine.facts !== facts)
      return { kind: 'silent', reason: 'modelChanged' };
    if (outcome.kind !== 'rewrite') return { kind: 'silent', reason: outcome.kind };
    return judgeRewrite(outcome.rewrite, question, gate, (change) => this.#addsErrors(document, region, change));
  }

  #addsErrors(document: PlacedDocument, region: Region, change: Change): boolean {
    const { start, end, newText } = placed(change, region, document.lines);
    const errors = this.#syntax.at(document).errorsWith({ start, end, text: newText });
    return errors !== null && errors.after > errors.before;
  }

  #refuses(facts: ModelFacts, { languageId }: RewrittenDocument): boolean {
    return refuseLanguage(this.#settings(), facts.languages, languageId) !== null;
  }

  #formatOf(facts: ModelFacts): RewriteFormat | 'remote' | null {
    if (this.#format?.facts === facts) return this.#format.format;
    // A remote server does not say how sure its model is of a departure.
    const isLocal = facts.kind === 'local' && facts.capabilities.branches && facts.capabilities.tokenizes;
    const known = formatOfModel(facts);
    const format = isLocal || known === null ? known : 'remote';
    this.#format = { facts, format };
    return format;
  }

  /** Edits of other files are shown only if those may be. */
  async #shownEdits(uri: string, edits: readonly FinishedEdit[]): Promise<readonly RecentEdit[]> {
    const shown: RecentEdit[] = [];
    for (const { uri: edited, line, original, updated } of edits) {
      if (edited !== uri && !(await this.#files.mayShow(edited, `${original}\n${updated}`))) continue;
      const [before, after] = [original, updated].map((text) => withLineFeeds(text).text);
      shown.push({ path: this.#files.nameOf(edited), line, original: before ?? '', updated: after ?? '' });
    }
    return shown;
  }
}

/**
 * Whether anything suggests that an edit is due in a region. Where only repeated changes pass the gate, that is a place
 * for one; elsewhere a change of what stood there before, since new lines are what completions are for.
 */
function suggests({ why }: LikelyRegion, gate: RewriteGate, edits: readonly FinishedEdit[]): boolean {
  if (why === 'repeat') return true;
  const last = edits.at(-1);
  return !gate.onlyRepeats && last !== undefined && changesLines(last);
}

function mostRegions(facts: ModelFacts): number {
  return facts.kind === 'local' && facts.backend === 'CPU' ? 1 : MOST_REGIONS;
}

function none(reason: NoModelEdit): ModelEdit {
  return { kind: 'none', reason };
}

/** A change of a region as a change of the document. */
function placed({ start, end, newText }: Change, region: Region, lines: LineFeedText): Change {
  return {
    start: lines.offsetOf(region.start + start),
    end: lines.offsetOf(region.start + end),
    newText: lines.withItsLineEnds(newText),
  };
}

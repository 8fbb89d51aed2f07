import {
  cutText,
  isBoolean,
  isCount,
  isNumber,
  isRecord,
  isText,
  SPECULATION_MODES,
  t,
} from '../../../../protocol/index.js';
import { isTokenId } from '../../../util/json.js';
import { EngineError } from '../../port/engine-error.js';
import type { GenerateRequest, Sampling } from '../../port/generation.js';
import { RELEASE_ORDER, type Releasable } from '../../port/memory-report.js';
import { areTokens, type Fields, isAmount, listOf, oneOf, wrongField } from './fields.js';
import type { Hello } from './messages.js';

/** What a guest asks, read without trusting it. All of them throw an EngineError `invalidArgument` that names the field. */

const SAMPLING: Fields<Sampling> = {
  temperature: isAmount,
  topK: isCount,
  topP: (value) => isNumber(value, 0, 1),
  seed: isCount,
};

const SLOTS = ['completion', 'chat'];

const REQUEST: Fields<GenerateRequest> = {
  prompt: listOf((part) => isText(part) || isTokenId(part)),
  maxTokens: isTokenId,
  stop: listOf(isText),
  stopTokens: areTokens,
  endsWithFile: isBoolean,
  spelledTokens: areTokens,
  timeBudgetMs: isAmount,
  sampling: (value) => wrongField(value, SAMPLING, []) === null,
  sectionBoundaries: listOf(isTokenId),
  whenContextFull: oneOf(['stop', 'shift']),
  heal: isBoolean,
  draft: isText,
  proposal: isText,
  begin: areTokens,
  runnersUp: isBoolean,
  speculation: oneOf(SPECULATION_MODES),
  slot: oneOf(SLOTS),
  priority: oneOf([...SLOTS, 'background']),
};

export function parseGenerate(params: unknown): { readonly request: GenerateRequest; readonly progress: number } {
  const { request, progress } = fieldsOf(params);
  const wrong = wrongField(request, REQUEST, ['prompt', 'maxTokens']);
  if (wrong !== null) throw invalid(wrong);
  if (!isCount(progress)) throw invalid('progress');
  return { request: request as GenerateRequest, progress };
}

export function parseLoad(params: unknown): number {
  const { progress } = fieldsOf(params);
  if (!isCount(progress)) throw invalid('progress');
  return progress;
}

export function parseTokenize(params: unknown): { readonly text: string; readonly parseSpecial: boolean } {
  const { text, parseSpecial } = fieldsOf(params);
  if (!isText(text)) throw invalid('text');
  if (!isBoolean(parseSpecial)) throw invalid('parseSpecial');
  return { text, parseSpecial };
}

export function parseDetokenize(params: unknown): { readonly tokens: readonly number[]; readonly special: boolean } {
  const { tokens, special } = fieldsOf(params);
  if (!areTokens(tokens)) throw invalid('tokens');
  if (!isBoolean(special)) throw invalid('special');
  return { tokens: tokens as readonly number[], special };
}

export function parseRelease(params: unknown): Releasable {
  const { what } = fieldsOf(params);
  const known = RELEASE_ORDER.find((each) => each === what);
  if (known === undefined) throw invalid('what');
  return known;
}

/** Null for what is no greeting. */
export function parseHello(params: unknown): Hello | null {
  const { protocol, version, secret } = fieldsOf(params);
  return isCount(protocol) && isText(version) && isText(secret) ? { protocol, version, secret } : null;
}

function fieldsOf(params: unknown): Record<string, unknown> {
  return isRecord(params) ? params : {};
}

function invalid(field: string): EngineError {
  return new EngineError('invalidArgument', t('{0} is not as expected', cutText(field, LONGEST_NAME)));
}

const LONGEST_NAME = 60;

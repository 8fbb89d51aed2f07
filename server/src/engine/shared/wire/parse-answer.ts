import {
  ENGINE_ERROR_CODES,
  type EngineErrorInfo,
  isBoolean,
  isCount,
  isNumber,
  isRecord,
  isText,
  isTexts,
} from '../../../../protocol/index.js';
import type { FimTokenIds } from '../../../prompt/fim-template.js';
import { isTokenId } from '../../../util/json.js';
import type { GenerationMetrics, GenerationResult, LocalMetrics, RunnerUp, TokenScore } from '../../port/generation.js';
import type { EngineCapabilities, LocalModelFacts } from '../../port/model-facts.js';
import { areTokens, type Fields, isAmount, isLogarithm, isWhole, listOf, oneOf, orNull, record } from './fields.js';
import { malformed, shownMessage } from './wire-error.js';

/** What an owner answers, read without trusting it. All of them throw an EngineError `ownerLost`. */

const CAPABILITIES: Fields<EngineCapabilities> = {
  heals: isBoolean,
  prepares: isBoolean,
  branches: isBoolean,
  tokenizes: isBoolean,
  resumes: isBoolean,
};

const FIM: Fields<FimTokenIds> = {
  prefix: isTokenId,
  suffix: isTokenId,
  middle: orNull(isTokenId),
  pad: orNull(isTokenId),
  repo: orNull(isTokenId),
  fileSep: orNull(isTokenId),
  suffixFirst: isBoolean,
};

const FACTS: Fields<LocalModelFacts> = {
  kind: oneOf(['local']),
  path: isText,
  name: isText,
  contextLength: isCount,
  chatContextLength: isCount,
  fim: orNull(record(FIM)),
  bosToken: orNull(isTokenId),
  addBos: isBoolean,
  leadingBlank: isBoolean,
  capabilities: record(CAPABILITIES),
  architecture: isText,
  quantization: isText,
  fileBytes: isAmount,
  parameterCount: isAmount,
  recurrent: isBoolean,
  canShiftContext: isBoolean,
  mtp: isBoolean,
  chatTemplate: orNull(isText),
  threads: isCount,
  backend: isText,
  isStarter: isBoolean,
  languages: orNull(isTexts),
  trainingContextLength: orNull(isCount),
  nextEditFormat: orNull(isText),
};

const ERROR: Fields<EngineErrorInfo> = { code: oneOf(ENGINE_ERROR_CODES), message: isText };

const LOCAL: Fields<LocalMetrics> = {
  evaluatedTokens: isCount,
  replayedTokens: isCount,
  rounds: isCount,
  shiftedTokens: isCount,
  draftedTokens: isCount,
  acceptedDraftTokens: isCount,
  draftFailure: orNull(isText),
  stepMs: orNull(isAmount),
  queuedMs: isAmount,
  preemptions: isCount,
  processorMs: isAmount,
};

const METRICS: Fields<GenerationMetrics> = {
  promptTokens: orNull(isCount),
  reusedTokens: orNull(isCount),
  generatedTokens: isCount,
  prefillMs: isAmount,
  decodeMs: isAmount,
  local: record(LOCAL),
};

const SCORE: Fields<TokenScore> = { length: isCount, logProbability: isLogarithm };
const RUNNER_UP: Fields<RunnerUp> = { token: isTokenId, logProbability: isLogarithm };

const RESULT: Fields<GenerationResult> = {
  text: isText,
  tokens: areTokens,
  logProbabilities: listOf(isLogarithm),
  scores: listOf(record(SCORE)),
  runnersUp: listOf(orNull(record(RUNNER_UP))),
  stopReason: oneOf(['endOfText', 'stopText', 'maxTokens', 'timeBudget', 'contextFull', 'aborted']),
  metrics: record(METRICS),
};

export function parseFacts(value: unknown): LocalModelFacts {
  if (!isWhole(value, FACTS)) throw malformed('description of the model');
  return value;
}

/** A model that an owner has loaded. */
export function parseLoaded(value: unknown) {
  const { facts, drawback = null } = isRecord(value) ? value : {};
  if (drawback !== null && !isWhole(drawback, ERROR)) throw malformed('drawback');
  const { code, message } = drawback ?? { code: null, message: '' };
  return { facts: parseFacts(facts), drawback: code && { code, message: shownMessage(message) } };
}

/** The owner's answer, equal to what its engine gave. */
export function parseResult(value: unknown): GenerationResult {
  if (!isWhole(value, RESULT)) throw malformed('answer');
  return {
    ...value,
    logProbabilities: value.logProbabilities.map(logarithm),
    scores: value.scores.map(withLogarithm),
    runnersUp: value.runnersUp.map((each) => each && withLogarithm(each)),
  };
}

/** Bytes of the model in the owner's process; 0 while it says nothing. */
export function parseHeldBytes(value: unknown): number {
  if (!isRecord(value) || !isAmount(value.heldBytes)) throw malformed('memory report');
  return value.heldBytes as number;
}

export function parseTokens(value: unknown): readonly number[] {
  if (!areTokens(value)) throw malformed('list of tokens');
  return value as readonly number[];
}

export function parseText(value: unknown): string {
  if (!isText(value)) throw malformed('text');
  return value;
}

/** Null for what is no part of a load. */
export function parseFraction(value: unknown): number | null {
  return isNumber(value, 0, 1) ? value : null;
}

function logarithm(value: number | null): number {
  return value ?? Number.NEGATIVE_INFINITY;
}

function withLogarithm<T extends { readonly logProbability: number }>(value: T): T {
  return { ...value, logProbability: logarithm(value.logProbability) };
}

import type { EngineClient } from '../engine/lifecycle/engine-client.js';
import { requireModel } from '../engine/lifecycle/one-model.js';
import type { GenerateRequest, GenerationMetrics, GenerationResult } from '../engine/port/generation.js';
import type { ModelFacts } from '../engine/port/model-facts.js';

interface AnsweringModel {
  readonly facts: ModelFacts;
  readonly contextLength: number;
}

/** The text of a token that ends inside a character. */
const INCOMPLETE_CHARACTER = '\uFFFD';

/**
 * Generates on one engine and yields to the more urgent work of another: both use the same cores and know nothing of
 * each other. Each request for a suggestion ends the generation. It then continues after its last token, whose state
 * the engine still has. Between two parts the model counts as in use.
 *
 * @param urgent null if there is no other engine
 * @param model for which the request was made: no other one answers it or goes on with it; its slot's length in tokens
 * @param signal ends the generation for good, with the text so far
 */
export async function generateYielding(
  client: EngineClient,
  urgent: EngineClient | null,
  request: GenerateRequest,
  { facts, contextLength }: AnsweringModel,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<GenerationResult> {
  if (urgent === null) {
    requireModel(client, facts);
    const result = await client.generate(request, onText, signal);
    // An engine that is closed ends its answers where they are.
    if (result.stopReason === 'aborted' && !signal.aborted) requireModel(client, facts);
    return result;
  }
  return client.keep(async () => {
    const { begin: _, ...continued } = request;
    const done: GenerationResult[] = [];
    for (let tokens: readonly number[] = []; ; ) {
      await untilQuiet(urgent, signal);
      const next =
        done.length === 0
          ? request
          : {
              ...continued,
              prompt: [...request.prompt, ...latest(tokens, contextLength - promptTokensOf(done))],
              maxTokens: request.maxTokens - tokens.length,
              sampling: { ...request.sampling, seed: (request.sampling?.seed ?? 0) + done.length },
            };
      requireModel(client, facts);
      const result = await generateWhileQuiet(client, urgent, next, onText, signal);
      done.push(result);
      const interrupted = result.stopReason === 'aborted' && !signal.aborted;
      // What has ended needs the model no more.
      if (interrupted) requireModel(client, facts);
      tokens = [...tokens, ...(interrupted ? await wholeTokens(client, result.tokens) : result.tokens)];
      if (!interrupted || (request.maxTokens > 0 && tokens.length >= request.maxTokens)) return joined(done);
    }
  });
}

async function generateWhileQuiet(
  client: EngineClient,
  urgent: EngineClient,
  request: GenerateRequest,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<GenerationResult> {
  const pause = new AbortController();
  const subscription = urgent.onDidChange(() => {
    if (urgent.isCompleting) pause.abort();
  });
  try {
    return await client.generate(request, onText, AbortSignal.any([signal, pause.signal]));
  } finally {
    subscription.dispose();
  }
}

async function untilQuiet(urgent: EngineClient, signal: AbortSignal): Promise<void> {
  if (!urgent.isCompleting || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const subscription = urgent.onDidChange(() => {
      if (!urgent.isCompleting) end();
    });
    const end = (): void => {
      subscription.dispose();
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}

/**
 * The answer's last tokens, as many as fit after the prompt. Only an answer that shifted the context is too long. Then
 * half of the room stays free, as after a context shift.
 */
function latest(tokens: readonly number[], room: number): readonly number[] {
  return tokens.length < room ? tokens : tokens.slice(-Math.max(1, Math.floor(room / 2)));
}

/** The length of the request's own prompt, which the first generation counts. */
function promptTokensOf(done: readonly GenerationResult[]): number {
  return done.find(({ metrics }) => metrics.promptTokens !== 0)?.metrics.promptTokens ?? 0;
}

/** Drops tokens from the start of an incomplete character: its text was not sent, so it must be generated again. */
async function wholeTokens(client: EngineClient, tokens: readonly number[]): Promise<readonly number[]> {
  let whole = tokens;
  while (whole.length > 0 && (await client.detokenize(whole.slice(-4))).endsWith(INCOMPLETE_CHARACTER))
    whole = whole.slice(0, -1);
  return whole;
}

function joined(results: readonly GenerationResult[]): GenerationResult {
  const [first] = results;
  const last = results.at(-1);
  if (first === undefined || last === undefined) throw new Error('nothing was generated');
  const sum = (value: (metrics: GenerationMetrics) => number): number =>
    results.reduce((total, { metrics }) => total + value(metrics), 0);
  const { local } = last.metrics;
  return {
    ...last,
    text: results.map(({ text }) => text).join(''),
    tokens: results.flatMap(({ tokens }) => tokens),
    logProbabilities: results.flatMap(({ logProbabilities }) => logProbabilities),
    scores: results.flatMap(({ scores }) => scores),
    metrics: {
      ...last.metrics,
      promptTokens: first.metrics.promptTokens,
      reusedTokens: first.metrics.reusedTokens,
      generatedTokens: sum(({ generatedTokens }) => generatedTokens),
      prefillMs: sum(({ prefillMs }) => prefillMs),
      decodeMs: sum(({ decodeMs }) => decodeMs),
      local: local && {
        ...local,
        shiftedTokens: sum((metrics) => metrics.local?.shiftedTokens ?? 0),
        preemptions: results.length - 1 + sum((metrics) => metrics.local?.preemptions ?? 0),
      },
    },
  };
}

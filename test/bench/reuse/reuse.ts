import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AnchorKeeper } from '../../../server/src/completion/anchor/anchor-keeper.js';
import type { NativeEngine, NativeModelFacts } from '../../../server/src/engine/addon/addon-types.js';
import { anchorIn } from '../../support/code/fixtures.js';
import { attentionModel } from '../../support/models/attention-model.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import { PAUSE_MS } from '../decode/plain-decode.js';
import type { Benchmark, BenchmarkFields, BenchmarkOptions } from '../measure/benchmark.js';
import { loadEngine, loadOptions, peerOptions } from '../measure/engine-under-test.js';
import { median, round } from '../measure/statistics.js';
import { LlamaServer } from '../peer/llama-server.js';
import { codeHoles } from '../samples/code-holes.js';
import { infill } from '../samples/infill.js';
import { EditedDocument, type PromptRequest } from './edited-document.js';
import { measureSessions } from './reuse-sessions.js';

const FIXTURES = path.join(REPOSITORY_ROOT, 'test/fixtures/bench');
const DOCUMENT = 'shift-planner.ts';
const OTHER_DOCUMENT = 'ledger.py';
/** Holes in the document, spread over it. */
const PLACES = 5;
/** Characters of a hole's first line typed before the first suggestion. */
const TYPED = 4;

const CONTEXT_LENGTH = 4096;
const SUGGESTION_TOKENS = 32;

/** The edits between a suggestion and the next request. Each starts again from the suggestion just made. */
const EDITS = [
  'type_along',
  'type_against',
  'delete',
  'accept_word',
  'accept_all',
  'new_line',
  'edit_far_above',
  'switch_back',
] as const;

type Edit = (typeof EDITS)[number];

/** The cost of the prompt after the edit, up to its first token. */
interface Cost {
  readonly tokens: number;
  readonly ms: number;
}

/** One side of the comparison: `suggest` runs before the edit, `ask` after it. */
interface Side {
  readonly suggest: (document: EditedDocument) => Promise<string>;
  readonly ask: (document: EditedDocument) => Promise<Cost>;
}

interface Sample {
  readonly edit: Edit;
  readonly side: string;
  readonly cost: Cost;
}

interface Place {
  readonly text: string;
  readonly cursor: number;
}

/** The document with a hole, and the first characters of the code there. */
function places(source: string): readonly Place[] {
  const holes = codeHoles(source);
  const step = holes.length / PLACES;
  return Array.from({ length: PLACES }, (_, index) => {
    const { prefix, suffix } = holes[Math.floor(index * step)]!;
    const body = source.slice(prefix.length, source.length - suffix.length);
    const typed = body.slice(0, body.search(/\S/) + TYPED);
    return { text: `${prefix}${typed}\n${suffix}`, cursor: prefix.length + typed.length };
  });
}

const APPLY: Readonly<Record<Edit, (document: EditedDocument, suggestion: string) => void>> = {
  type_along: (document, suggestion) => document.type(suggestion.slice(0, 1)),
  type_against: (document, suggestion) => document.type(suggestion.startsWith('q') ? 'z' : 'q'),
  delete: (document) => document.deleteLeft(),
  accept_word: (document, suggestion) => document.type(/^\s*(\w+|\W)/.exec(suggestion)?.[0] ?? suggestion),
  accept_all: (document, suggestion) => document.type(suggestion),
  new_line: (document) => document.type('\n    '),
  edit_far_above: (document) => document.insertAtStart('// Changed.\n'),
  // The other file's request was in between.
  switch_back: () => undefined,
};

/** Our engine with our server's requests. */
function ourSide(engine: NativeEngine): Side {
  return {
    suggest: async (document) => {
      const request = { ...document.prompt(SUGGESTION_TOKENS), maxTokens: SUGGESTION_TOKENS };
      return (await engine.generate(request).result).text;
    },
    ask: async (document) => {
      const request = { ...document.prompt(SUGGESTION_TOKENS), maxTokens: 1 };
      const startedAt = performance.now();
      const { metrics } = await engine.generate(request).result;
      return { tokens: metrics.evaluatedTokens, ms: performance.now() - startedAt };
    },
  };
}

/** llama-server with our engine's prompts. It does not heal tokens, so the prompt ends at a token. */
function samePromptSide(engine: NativeEngine, server: LlamaServer): Side {
  const tokensOf = async ({ prompt }: PromptRequest): Promise<readonly number[]> => {
    const tokens: number[] = [];
    for (const part of prompt) tokens.push(...(typeof part === 'number' ? [part] : await engine.tokenize(part)));
    return tokens;
  };
  return {
    suggest: async (document) => {
      const { tokens } = await server.complete(await tokensOf(document.prompt(SUGGESTION_TOKENS)), SUGGESTION_TOKENS);
      return engine.detokenize(tokens);
    },
    ask: async (document) => {
      const prompt = await tokensOf(document.prompt(SUGGESTION_TOKENS));
      const startedAt = performance.now();
      const { promptTokens } = await server.complete(prompt, 1);
      return { tokens: promptTokens, ms: performance.now() - startedAt };
    },
  };
}

/** llama-server with llama.vscode's requests: the lines around the current cursor. */
function infillSide(server: LlamaServer): Side {
  return {
    suggest: async ({ text, cursor }) => (await infill(server.address, text, cursor)).text,
    ask: async ({ text, cursor }) => {
      const { promptTokens, firstTextMs } = await infill(server.address, text, cursor);
      return { tokens: promptTokens, ms: firstTextMs };
    },
  };
}

async function measureEdit(side: Side, facts: NativeModelFacts, place: Place, edit: Edit): Promise<Cost | null> {
  // New for this edit: no anchor of an earlier edit may remain.
  const anchors = new AnchorKeeper();
  const document = new EditedDocument(anchors, facts, DOCUMENT, place.text, place.cursor);
  const suggestion = await side.suggest(document);
  // An empty suggestion cannot be typed along or accepted.
  if (suggestion === '') return null;
  if (edit === 'switch_back') {
    const other = readFileSync(path.join(FIXTURES, OTHER_DOCUMENT), 'utf8');
    await side.suggest(new EditedDocument(anchors, facts, OTHER_DOCUMENT, other, anchorIn(other, '\n\n\n') + 1));
  }
  APPLY[edit](document, suggestion);
  await delay(PAUSE_MS);
  return side.ask(document);
}

async function measureModel(model: string, options: BenchmarkOptions): Promise<BenchmarkFields> {
  const { runs, progress } = options;
  const asked = { ...options, model };
  const own = await loadEngine(loadOptions(asked, CONTEXT_LENGTH));
  const shared = peerOptions(own, asked, CONTEXT_LENGTH);
  const servers: LlamaServer[] = [];
  const samples: Sample[] = [];
  try {
    servers.push(
      await LlamaServer.start({ ...shared, reuse: true }),
      await LlamaServer.start({ ...shared, reuse: true }),
    );
    const sides: Readonly<Record<string, Side>> = {
      ours: ourSide(own.engine),
      peer: samePromptSide(own.engine, servers[0]!),
      peer_infill: infillSide(servers[1]!),
    };
    const where = places(readFileSync(path.join(FIXTURES, DOCUMENT), 'utf8'));
    for (let run = 0; run < runs; run += 1) {
      for (const edit of EDITS) {
        for (const place of where) {
          for (const [side, asked] of Object.entries(sides)) {
            const cost = await measureEdit(asked, own.facts, place, edit);
            if (cost !== null) samples.push({ edit, side, cost });
          }
        }
      }
      progress(`${own.facts.name}: run ${run + 1} of ${runs}`);
    }
  } finally {
    for (const server of servers) await server.stop();
    await own.engine.close();
  }
  return { ...summarize(samples), ...own.description };
}

/** Medians for each edit and side, and our maximum of tokens, since users notice a single slow key. */
function summarize(samples: readonly Sample[]): BenchmarkFields {
  const fields: Record<string, number> = {};
  for (const edit of EDITS) {
    for (const side of ['ours', 'peer', 'peer_infill']) {
      const costs = samples.filter((each) => each.edit === edit && each.side === side).map(({ cost }) => cost);
      if (costs.length === 0) continue;
      fields[`${edit}_${side}_tokens`] = median(costs.map(({ tokens }) => tokens));
      if (side === 'ours') fields[`${edit}_ours_most_tokens`] = Math.max(...costs.map(({ tokens }) => tokens));
      fields[`${edit}_${side}_ms`] = round(median(costs.map(({ ms }) => ms)), 2);
    }
  }
  return fields;
}

async function run(options: BenchmarkOptions): Promise<BenchmarkFields> {
  if (options.part === 'sessions') return measureSessions();
  const wants = (part: string): boolean => options.part === null || options.part === part;
  const onAttention: Record<string, BenchmarkFields[string]> = {};
  if (wants('attention')) {
    const fields = await measureModel(await attentionModel(), options);
    for (const [name, value] of Object.entries(fields)) onAttention[`attention_${name}`] = value;
  }
  return {
    ...(wants('model') ? await measureModel(options.model, options) : {}),
    ...onAttention,
    runs: options.runs,
    places: PLACES,
    peer: 'llama-server, built from the same source; peer: the same prompts, peer_infill: those of llama.vscode',
  };
}

export const reuse: Benchmark = {
  name: 'reuse',
  summary: 'what each kind of edit costs after a suggestion, against llama-server (evaluated tokens, milliseconds)',
  onDevices: true,
  defaultRuns: 3,
  parts: ['model', 'attention', 'sessions'],
  run,
};

import type { SpeculationMode } from '../../../protocol/index.js';

/** Each slot has a context of its own on the same weights. */
export type Slot = 'completion' | 'chat';

/** User text (never parsed for special tokens) and single token ids, in order. */
export type PromptPart = string | number;

export interface Sampling {
  /** 0 (default) = greedy; the others then have no effect. */
  readonly temperature?: number;
  /** 0 = off. */
  readonly topK?: number;
  /** 1 = off. */
  readonly topP?: number;
  /** The same seed gives the same tokens; 0 by default. A remote engine ignores it. */
  readonly seed?: number;
}

export interface GenerateRequest {
  readonly prompt: readonly PromptPart[];
  /** 0 evaluates the prompt and generates nothing, so that a later request finds it done. */
  readonly maxTokens: number;
  /** Text that ends the generation; it is not part of the output. */
  readonly stop?: readonly string[];
  /** Token ids that end the generation besides the vocabulary's own end tokens. */
  readonly stopTokens?: readonly number[];
  /**
   * Whether any token that is no text of the file at hand ends the generation: control tokens, and those that begin
   * another file. Default false. A remote engine knows its end tokens and those that begin another file; where the server
   * has no tokenizer, some of their spellings.
   */
  readonly endsWithFile?: boolean;
  /** Special tokens whose spelling becomes part of the text, which otherwise shows none. */
  readonly spelledTokens?: readonly number[];
  /** Milliseconds for the whole generation, not counting more urgent ones; 0 (default) = no limit. */
  readonly timeBudgetMs?: number;
  readonly sampling?: Sampling;
  /**
   * Indices of prompt parts, ascending. The engine keeps its state before each of these parts, since later prompts share
   * what comes before. The last one is where the typed text starts: before a text, or at the number of parts, which
   * stands for the prompt's end.
   */
  readonly sectionBoundaries?: readonly number[];
  /**
   * What happens when the context is full. `stop` (default) ends with `contextFull`. `shift` forgets half of what follows
   * the first section boundary and goes on, where the model can.
   */
  readonly whenContextFull?: 'stop' | 'shift';
  /** Whether the tokens at the end of the prompt's last text may be chosen again, within its bytes. Default false. */
  readonly heal?: boolean;
  /** Text that an earlier suggestion expected here; verified like any draft. */
  readonly draft?: string;
  /**
   * What the answer will mostly say, such as the present text of a region that is to be rewritten. A local engine
   * verifies it in batches as long as a prefill's, so log-probabilities may differ in their last bits; a remote engine
   * ignores it.
   */
  readonly proposal?: string;
  /** Tokens that the answer begins with, whatever the model would choose: a branch of an earlier answer. */
  readonly begin?: readonly number[];
  /** Whether the next best token is wanted for each one of the answer. Default false. */
  readonly runnersUp?: boolean;
  /** `auto` (default): verified drafts where they pay. `optimistic`: drafts are not verified, and the answer may differ. */
  readonly speculation?: SpeculationMode;
  /** Default `completion`. */
  readonly slot?: Slot;
  /** More urgent generations go first, and interrupt a running one. Default: the slot's name. */
  readonly priority?: Priority;
}

export type Priority = 'completion' | 'chat' | 'background';

export type StopReason = 'endOfText' | 'stopText' | 'maxTokens' | 'timeBudget' | 'contextFull' | 'aborted';

export interface RunnerUp {
  readonly token: number;
  readonly logProbability: number;
}

/** What one token wrote, and how sure the model was of it. */
export interface TokenScore {
  /** UTF-16 units of the text; 0 for a token that only writes what is typed. */
  readonly length: number;
  /** Natural logarithm of its probability among the tokens that can write what is typed. */
  readonly logProbability: number;
}

export interface GenerationResult {
  /** All streamed text, joined. */
  readonly text: string;
  /** Empty where the engine does not tell its tokens. */
  readonly tokens: readonly number[];
  /** Natural logarithms of the model's own probability of each of `tokens`. */
  readonly logProbabilities: readonly number[];
  /** One for each token, in order. Empty where the engine does not tell. A remote server may send any numbers. */
  readonly scores: readonly TokenScore[];
  /** For each of `tokens` the next best one; null where there was no choice. Empty where they were not asked for. */
  readonly runnersUp: readonly (RunnerUp | null)[];
  readonly stopReason: StopReason;
  readonly metrics: GenerationMetrics;
}

export interface GenerationMetrics {
  /** Null where a remote server does not say, as below. */
  readonly promptTokens: number | null;
  /** Tokens of the prompt whose state was already held. */
  readonly reusedTokens: number | null;
  readonly generatedTokens: number;
  /** Time of the prompt's evaluation, and of the answer's, without that of more urgent generations. */
  readonly prefillMs: number;
  readonly decodeMs: number;
  /** What only the engine in this process can say; null for a model on a remote server. */
  readonly local: LocalMetrics | null;
}

export interface LocalMetrics {
  /** The number of tokens that the model evaluated, rejected drafts included. */
  readonly evaluatedTokens: number;
  /** Generated tokens that an earlier generation had already chosen; they cost nothing. */
  readonly replayedTokens: number;
  /** Evaluations after the prefill. Each gives one token, and the drafts that it verifies. */
  readonly rounds: number;
  /** Tokens forgotten to make room in the context. */
  readonly shiftedTokens: number;
  readonly draftedTokens: number;
  readonly acceptedDraftTokens: number;
  /** Why the MTP head was given up; the answer is the same without it. Null if it was not. */
  readonly draftFailure: string | null;
  /** What evaluating one token costs here, measured in the idle time after the load; null before. */
  readonly stepMs: number | null;
  /** Time spent behind other jobs before the start. */
  readonly queuedMs: number;
  /** How often more urgent generations ran in between. */
  readonly preemptions: number;
  /** Processor time of the engine's whole process meanwhile, of all its threads. */
  readonly processorMs: number;
}

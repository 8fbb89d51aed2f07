import { type EngineErrorCode, type RemoteKind, t } from '../../../../protocol/index.js';
import { objectOf } from '../../../util/json.js';
import { EngineError } from '../../port/engine-error.js';
import type { HttpClient } from '../http/http-client.js';
import { openLlamaServer } from './llama-server.js';
import { openOllama } from './ollama.js';
import { openOpenAiServer } from './openai-server.js';
import type { OpenRemoteModel } from './remote-model.js';

const OPENERS: Readonly<Record<Exclude<RemoteKind, 'auto'>, OpenRemoteModel>> = {
  'llama-server': openLlamaServer,
  openai: openOpenAiServer,
  ollama: openOllama,
};

/** A path that only this kind of server answers. llama-server and Ollama have OpenAI's list as well, so they come first. */
const SIGNS: readonly {
  readonly kind: keyof typeof OPENERS;
  readonly path: string;
  isSign(answer: Readonly<Record<string, unknown>>): boolean;
}[] = [
  { kind: 'llama-server', path: '/props', isSign: (props) => 'default_generation_settings' in props },
  { kind: 'ollama', path: '/api/version', isSign: ({ version }) => typeof version === 'string' },
  { kind: 'openai', path: '/v1/models', isSign: ({ data }) => Array.isArray(data) },
];

/**
 * Finds out which kind of server answers at this address, unless the user named it.
 * @returns how to open a model of it
 * @throws EngineError
 */
export async function detectServer(http: HttpClient, kind: RemoteKind, signal: AbortSignal): Promise<OpenRemoteModel> {
  if (kind !== 'auto') return OPENERS[kind];
  const failures: EngineError[] = [];
  for (const { kind: found, path, isSign } of SIGNS) {
    try {
      if (isSign(objectOf(await http.get(path, { signal })))) return OPENERS[found];
    } catch (error) {
      // The host answers, but this path is missing or is a web page.
      const isAnswer = error instanceof EngineError && ANSWERS.has(error.code);
      if (!isAnswer) throw error;
      const isPage = error.cause instanceof SyntaxError;
      if (error.code === 'remoteFailed' && !isPage) failures.push(error);
    }
  }
  // If every path redirects or fails, that failure tells the user more than "none of these kinds".
  const [failure] = failures;
  if (failure !== undefined && failures.length === SIGNS.length) throw failure;
  throw new EngineError(
    'remoteNotFound',
    t('{0} is not a llama-server, vLLM, Ollama or another OpenAI-compatible server', http.host),
  );
}

const ANSWERS: ReadonlySet<EngineErrorCode> = new Set(['remoteNotFound', 'remoteFailed']);

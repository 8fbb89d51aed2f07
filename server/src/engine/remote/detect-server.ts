import { type EngineErrorCode, type RemoteKind, t } from '../../../protocol/index.js';
import { EngineError } from '../engine-error.js';
import type { HttpClient } from './http-client.js';
import { objectOf } from './json.js';
import { openLlamaServer } from './llama-server.js';
import { openOllama } from './ollama.js';
import { openOpenAiServer } from './openai-server.js';
import type { OpenRemoteModel } from './remote-model.js';

const OPENERS: Readonly<Record<Exclude<RemoteKind, 'auto'>, OpenRemoteModel>> = {
  'llama-server': openLlamaServer,
  openai: openOpenAiServer,
  ollama: openOllama,
};

/** What only this kind of server answers. llama-server has OpenAI's list as well, and so does Ollama: they come first. */
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
 * How the server at this address is asked.
 * @throws EngineError
 */
export async function detectServer(http: HttpClient, kind: RemoteKind, signal: AbortSignal): Promise<OpenRemoteModel> {
  if (kind !== 'auto') return OPENERS[kind];
  const failures: EngineError[] = [];
  for (const { kind: found, path, isSign } of SIGNS) {
    try {
      if (isSign(objectOf(await http.get(path, { signal })))) return OPENERS[found];
    } catch (error) {
      // The host is there, and this path is not, or is a page for people.
      const isAnswer = error instanceof EngineError && ANSWERS.has(error.code);
      if (!isAnswer) throw error;
      if (error.code === 'remoteFailed') failures.push(error);
    }
  }
  // A host that redirects or fails whatever it is asked says more than that it is none of these.
  const [failure] = failures;
  if (failure !== undefined && failures.length === SIGNS.length) throw failure;
  throw new EngineError(
    'remoteNotFound',
    t('{0} is not a llama-server, vLLM, Ollama or another OpenAI-compatible server', http.host),
  );
}

const ANSWERS: ReadonlySet<EngineErrorCode> = new Set(['remoteNotFound', 'remoteFailed']);

import type {
  CompletionSummary,
  InklingSettings,
  InklingStatus,
  MemorySummary,
  RemoteSummary,
} from '../protocol/index.js';
import type { ChatEngines } from './chat/chat-engines.js';
import type { EngineHost } from './engine/engine-host.js';
import { hostOf } from './engine/remote/remote-target.js';
import { summarizeModel } from './models/summarize-model.js';

/** The status that the client shows, collected from its parts. */
export function describeStatus(
  host: EngineHost,
  settings: InklingSettings,
  memory: MemorySummary | null,
  lastCompletion: CompletionSummary | null,
  chat: ChatEngines,
): InklingStatus {
  const facts = host.knownFacts;
  return {
    state: settings.enabled ? host.state : { kind: 'paused' },
    remote: describeRemote(host),
    model: facts === null ? null : summarizeModel(facts),
    memory,
    lastCompletion,
    chat: chat.status,
  };
}

function describeRemote({ wanted, knownFacts }: EngineHost): RemoteSummary | null {
  const remote = wanted?.remote;
  if (remote === undefined) return null;
  return { host: hostOf(remote), kind: knownFacts?.elsewhere?.kind ?? null };
}

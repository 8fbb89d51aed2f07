import type {
  CompletionSummary,
  InklingSettings,
  InklingStatus,
  MemorySummary,
  RemoteSummary,
} from '../protocol/index.js';
import type { ChatEngines } from './chat/chat-engines.js';
import type { EngineLifecycle } from './engine/lifecycle/engine-lifecycle.js';
import { hostOf } from './engine/port/remote-target.js';
import { summarizeModel } from './models/summarize-model.js';

type DescribedEngine = Pick<EngineLifecycle, 'state' | 'knownFacts' | 'wanted'>;

/** The status that the client shows, put together from the parts that know it. */
export function describeStatus(
  engine: DescribedEngine,
  settings: InklingSettings,
  memory: MemorySummary | null,
  lastCompletion: CompletionSummary | null,
  chat: Pick<ChatEngines, 'status'>,
): InklingStatus {
  const facts = engine.knownFacts;
  return {
    state: settings.enabled ? engine.state : { kind: 'off' },
    remote: describeRemote(engine),
    model: facts === null ? null : summarizeModel(facts),
    memory,
    lastCompletion,
    chat: chat.status,
  };
}

function describeRemote({ wanted, knownFacts }: DescribedEngine): RemoteSummary | null {
  const remote = wanted?.remote;
  if (remote === undefined) return null;
  return { host: hostOf(remote), kind: knownFacts?.kind === 'remote' ? knownFacts.server : null };
}

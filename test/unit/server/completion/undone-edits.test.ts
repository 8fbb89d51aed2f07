import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../server/protocol/index.js';
import { CompletionService } from '../../../../server/src/completion/completion-service.js';
import { LearnedConfidence } from '../../../../server/src/completion/confidence/learned-confidence.js';
import type { ContextProvider } from '../../../../server/src/completion/request/context-provider.js';
import { createEngineHost } from '../../../../server/src/engine/lifecycle/engine-host.js';
import { EMPTY_CONTEXT } from '../../../../server/src/prompt/context-block.js';
import { JsonFile } from '../../../../server/src/util/files/json-file.js';
import { cursorFixture } from '../../../support/code/cursor-fixture.js';
import { LEXICAL } from '../../../support/code/cursor-syntax.js';
import { ScriptedEngine, SILENT } from '../scripted-engine.js';

const NO_CONTEXT: ContextProvider = {
  contextFor: () => EMPTY_CONTEXT,
  visited: () => undefined,
  mayHoldSecrets: () => false,
};
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('does not suggest what the user has just deleted', async () => {
  const engine = new ScriptedEngine();
  const host = createEngineHost(() => engine, SILENT);
  const confidence = new LearnedConfidence(new JsonFile(null, SILENT));
  const settings = () => DEFAULT_SETTINGS;
  const parts = { host, settings, syntax: LEXICAL, context: NO_CONTEXT, confidence, log: SILENT };
  const service = new CompletionService(parts);
  host.lifecycle.want({ path: '/model.gguf' });
  await settle();
  engine.finishLoad();
  await settle();

  const uri = 'file:///a.ts';
  service.documentEdited(uri, 2, [{ offset: 4, removed: 'total()', inserted: '' }]);
  service.documentEdited(uri, 3, [{ offset: 4, removed: '', inserted: 't' }]);
  engine.pieces = ['otal()'];
  const { text, offset } = cursorFixture('a = t║;');
  const document = { uri, languageId: 'typescript', version: 3, text, path: 'a.ts' };
  const position = { line: 0, character: offset };
  const outcome = await service.complete(
    { document, offset, position, selected: null, trigger: 'automatic' },
    new AbortController().signal,
  );
  expect(outcome).toMatchObject({ kind: 'none', reason: 'filtered', detail: expect.stringContaining('undo') });
  service.dispose();
});

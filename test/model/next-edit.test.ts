import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../server/protocol/index.js';
import { AddonEngine } from '../../server/src/engine/addon/addon-engine.js';
import type { LocalModelFacts } from '../../server/src/engine/port/model-facts.js';
import { readGgufHeader } from '../../server/src/models/gguf/gguf-header.js';
import { ModelEdits } from '../../server/src/next-edit/model-edits.js';
import { NextEditService } from '../../server/src/next-edit/next-edit-service.js';
import type { PredictedEdit } from '../../server/src/next-edit/predicted-edit.js';
import { RepeatSearch } from '../../server/src/next-edit/repeat-search.js';
import { openAddon, STARTER_MODEL } from '../support/addon.js';
import { syntaxTrees } from '../support/code/grammars.js';
import { parsedSyntax } from '../support/code/parsed-syntax.js';
import { EditedText } from '../unit/server/next-edit/editor.js';
import { SILENT } from '../unit/server/scripted-engine.js';

/** A busy machine takes long for a prompt. */
const LIMIT_MS = 120_000;

const trees = syntaxTrees();
const engine = new AddonEngine(openAddon(), SILENT);
let facts: LocalModelFacts;
let documents: EditedText[];
let service: NextEditService;
/** Resolves with what is announced next, or with the reason why nothing is. */
let announced: Promise<PredictedEdit>;

beforeAll(async () => {
  const ignore = () => undefined;
  const options = { path: STARTER_MODEL, threads: 1, contextLength: 2048 };
  const loaded = await engine.load(options, ignore, new AbortController().signal);
  const { languages, nextEditFormat } = await readGgufHeader(STARTER_MODEL);
  facts = { ...loaded, languages, nextEditFormat, isStarter: true };
  await parsedSyntax(trees, { uri: 'file:///first.ts', languageId: 'typescript', text: '' });
}, LIMIT_MS);

afterAll(async () => {
  trees.dispose();
  await engine.close();
});

beforeEach(() => {
  const client = {
    facts,
    generate: engine.generate.bind(engine),
    tokenize: engine.tokenize.bind(engine),
  };
  const files = {
    nameOf: () => 'src/shop.ts',
    admits: () => Promise.resolve(true),
    mayShow: () => Promise.resolve(true),
    definitionsFor: () => [],
  };
  const settings = () => DEFAULT_SETTINGS;
  const model = new ModelEdits(client, files, trees, settings, () => Promise.resolve(false));
  const tiers = { repeats: new RepeatSearch(files, trees), model };
  service = new NextEditService(() => documents, settings, { count: () => undefined }, tiers, SILENT);
  service.clientShowsNextEdits();
  announced = new Promise((resolve) => {
    service.onDidPredict((edit) => {
      if (edit !== null) resolve(edit);
    });
  });
});

function edit(wanted: string, by: string): void {
  const [document] = documents;
  if (document === undefined) throw new Error('no document');
  service.documentEdited(document.uri, document.version, [document.replace(wanted, by)]);
}

// Words that were inserted stand for no others, so the tier without a model is silent here.
it('the starter model repeats what was inserted twice', { timeout: LIMIT_MS }, async () => {
  const document = new EditedText(
    'file:///shop.ts',
    'interface Item {\n  name: string;\n  price: number;\n  count: number;\n  label: string;\n}\n',
  );
  documents = [document];
  edit('  name', '  readonly name');
  edit('  price', '  readonly price');
  const { start, end, newText, reason } = await announced;
  const text = document.getText();
  expect(reason).toBe('model');
  expect(text.slice(0, start) + newText + text.slice(end)).toMatch(/ {2}readonly (?:count|label)/);
  service.dispose();
});

import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FileAdmission } from '../../../../server/src/context/admission/file-admission.js';
import { type ContextFacts, ContextService } from '../../../../server/src/context/context-service.js';
import { DiskFiles } from '../../../../server/src/context/files/disk-files.js';
import { FileIndex } from '../../../../server/src/context/files/file-index.js';
import { pathFromFileSystem } from '../../../../server/src/context/files/file-location.js';
import { type LiveDocument, OpenDocuments } from '../../../../server/src/context/open-documents.js';
import { SIMILAR_SNIPPETS } from '../../../../server/src/context/sources/similar-snippets.js';
import { BackgroundQueue, type Turn } from '../../../../server/src/util/background-queue.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';
import { SILENT } from '../scripted-engine.js';

let folder: TemporaryFolder;
let facts: ContextFacts;

beforeEach(() => {
  folder = new TemporaryFolder();
  const folderUris = [pathToFileURL(folder.path).href];
  facts = { enabled: true, folderUris, trusted: true, exclude: [], clipboard: true };
});

afterEach(() => {
  vi.restoreAllMocks();
  folder.dispose();
});

function documentAt(name: string, text: string): LiveDocument {
  const uri = name.includes(':') ? name : pathToFileURL(folder.file(name)).href;
  return { uri, languageId: 'typescript', version: 1, getText: () => text };
}

/** Keeps jobs until they are run, one after another. */
class HeldQueue extends BackgroundQueue {
  readonly jobs: ((turn: Turn) => Promise<void>)[] = [];

  constructor() {
    super({ quietMs: 0, onError: () => undefined });
  }

  override enqueue(_key: string, job: (turn: Turn) => Promise<void>): void {
    this.jobs.push(job);
  }
}

it('a document that the settings exclude while it is indexed is not kept', async () => {
  const open = documentAt('a.ts', 'export const a = 1;\n');
  const key = pathFromFileSystem(folder.file('a.ts'));
  const indexOf = async (disturb: (turn: number, exclude: () => void) => void) => {
    const [index, admission, queue] = [new FileIndex(), new FileAdmission(SILENT), new HeldQueue()];
    admission.update(facts);
    const listener = { onIndexed: () => undefined, onRevoked: () => undefined };
    const disk = (isOpen: (key: string) => boolean) => new DiskFiles(index, admission, isOpen);
    const documents = new OpenDocuments(index, admission, disk, queue, listener);
    documents.open(open);
    let turns = 0;
    await queue.jobs[0]?.(async () =>
      disturb(++turns, () => {
        admission.update({ ...facts, exclude: ['a.ts'] });
        documents.reset();
      }),
    );
    return { index, turns };
  };
  const { index, turns } = await indexOf(() => undefined);
  expect(index.get(key)).not.toBeNull();
  // The last ones read the folder.
  expect(turns).toBeGreaterThan(1);
  for (let at = 1; at <= turns; at++) {
    const excluded = await indexOf((turn, exclude) => {
      if (turn === at) exclude();
    });
    expect(excluded.index.get(key), `in turn ${at}`).toBeNull();
  }
});

describe('a block that is being chosen again', () => {
  const helper = 'export function helperOfReport(value: number): number {\n  return value + 1;\n}\n';
  const using = "import { helperOfReport } from './helper.js';\nhelperOfReport(";
  let service: ContextService;

  beforeEach(() => {
    service = new ContextService(SILENT, { quietMs: 0, refreshMs: 10 });
    service.setFacts(facts);
  });

  afterEach(() => service.dispose());

  /** What prompts show from then on, if something happens while the sources search. */
  async function shownAfter(happens: () => void): Promise<string> {
    const main = documentAt('main.ts', using);
    const asked = { uri: main.uri, languageId: main.languageId, text: using };
    const shown = () =>
      service
        .contextFor(asked, using.length, 400)
        .snippets.map(({ text }) => text)
        .join('');
    service.update({ kind: 'open', document: main });
    await vi.waitUntil(() => shown().includes('helperOfReport') && shown().includes('copied'), { timeout: 5_000 });
    const find = SIMILAR_SNIPPETS.find.bind(SIMILAR_SNIPPETS);
    let hasHappened = false;
    vi.spyOn(SIMILAR_SNIPPETS, 'find').mockImplementation((query) => {
      const found = find(query);
      if (!hasHappened) {
        hasHappened = true;
        happens();
        // Nothing else is read or chosen: somebody types.
        vi.spyOn(BackgroundQueue.prototype, 'enqueue').mockImplementation(() => undefined);
      }
      return found;
    });
    const last = () => (service.lastBlock(main.uri)?.snippets ?? []).map(({ text }) => text).join('');
    let since = '';
    service.onDidRefresh(() => {
      if (hasHappened) since += last();
    });
    service.update({ kind: 'change', uri: main.uri });
    await vi.waitUntil(() => hasHappened, { timeout: 5_000 });
    await delay(20);
    return since + last();
  }

  it('shows no file that the settings exclude meanwhile', async () => {
    writeFileSync(folder.file('helper.ts'), helper);
    service.setClipboard('copied();\n');
    expect(await shownAfter(() => service.setFacts({ ...facts, exclude: ['helper.*'] }))).not.toContain('helper');
  });

  it('shows no copied text once the settings forbid it', async () => {
    writeFileSync(folder.file('helper.ts'), helper);
    service.setClipboard('copied();\n');
    expect(await shownAfter(() => service.setFacts({ ...facts, clipboard: false }))).not.toContain('copied');
  });

  it('shows no document that is closed meanwhile, without a file', async () => {
    const scratch = documentAt('untitled:Untitled-1', helper);
    service.update({ kind: 'open', document: scratch });
    service.visited(scratch.uri);
    service.setClipboard('copied();\n');
    const close = () => service.update({ kind: 'close', uri: scratch.uri });
    expect(await shownAfter(close)).not.toContain('helperOfReport(value');
  });
});

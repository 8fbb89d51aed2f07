import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  describeFailure,
  describeSlowness,
  type PickerButton,
  type PickerContents,
  type PickerRow,
  pickerRows,
} from '../../../../extension/src/models/picker-rows.js';
import { type ModelOffer, setTranslations } from '../../../../server/protocol/index.js';
import { REPOSITORY_ROOT } from '../../../support/source-tree.js';

const OFFER: ModelOffer = {
  id: 'starter',
  source: 'starter',
  name: 'Seed',
  path: '/starter.gguf',
  paths: ['/starter.gguf'],
  download: null,
  fileBytes: 50e6,
  memoryBytes: 0.3e9,
  fit: 'comfortable',
  capabilities: { fim: true, mtp: true, chat: false },
  architecture: 'qwen35',
  quantization: 'Q4_K_M',
  parameterCount: 55e6,
  activeParameterCount: 55e6,
  fimTrained: true,
  nextEdits: true,
  speed: { tokensPerSecond: 236, promptSeconds: 0.7, basis: 'measured', atLeast: null },
  refusal: null,
};

const CATALOGUE: ModelOffer = {
  ...OFFER,
  id: 'catalogue:coder',
  source: 'catalogue',
  name: 'Coder 7B',
  path: null,
  paths: [],
  download: { repository: 'owner/coder', file: 'Q8_0' },
  fileBytes: 7.6e9,
  memoryBytes: 8e9,
  fit: 'tight',
  capabilities: { fim: true, mtp: false, chat: true },
  quantization: 'Q8_0',
  parameterCount: 7e9,
  activeParameterCount: 7e9,
  nextEdits: false,
  speed: { tokensPerSecond: 24.3, promptSeconds: 1.4, basis: 'predicted', atLeast: null },
};

function onDisk(source: ModelOffer['source'], path: string, change: Partial<ModelOffer> = {}): ModelOffer {
  return { ...OFFER, id: path, source, name: `Model at ${path}`, path, paths: [path], ...change };
}

function rows(offers: readonly ModelOffer[], change: Partial<PickerContents> = {}): readonly PickerRow[] {
  const list = { memoryBytes: 16e9, offers, recommendedId: CATALOGUE.id, unfinishedFolders: [] };
  return pickerRows({ list, modelPath: '', chatModelPath: '', remoteUrl: '', unfinished: [], typed: null, ...change });
}

function readGerman(): Record<string, string> {
  return JSON.parse(readFileSync(path.join(REPOSITORY_ROOT, 'extension/l10n/bundle.l10n.de.json'), 'utf8'));
}

/** Separators as headings, each with its labels. */
function outline(all: readonly PickerRow[]): string[] {
  return all.map((row) => (row.kind === 'separator' ? `== ${row.label}` : row.label));
}

function rowOf(all: readonly PickerRow[], label: string) {
  const row = all.find((each) => each.kind === 'choice' && each.label.includes(label));
  if (row?.kind !== 'choice') throw new Error(`no row ${label} in ${outline(all).join(', ')}`);
  return row;
}

describe('the rows of the picker', () => {
  it('name the remote server that completes, and no local model', () => {
    const own = onDisk('download', '/own.gguf');
    const all = rows([OFFER, own], { modelPath: '/own.gguf', remoteUrl: 'gpu-box:8080' });
    expect(outline(all).filter((each) => each.includes('$(check)'))).toEqual(['$(check) Remote server…']);
    expect(rowOf(all, 'Remote server…')).toMatchObject({
      choice: { kind: 'machine' },
      detail: 'gpu-box:8080, in use',
    });
    expect(rowOf(all, '/own.gguf').description).not.toContain('in use');
  });

  it('name the file in use where no model of the list is', () => {
    const all = rows([OFFER], { modelPath: '/any/$(own).gguf' });
    expect(outline(all).filter((each) => each.includes('$(check)'))).toEqual(['$(check) A file…']);
    expect(rowOf(all, 'A file…')).toMatchObject({
      choice: { kind: 'browse' },
      detail: '/any/$ (own).gguf, in use',
    });
    const found = onDisk('ollama', '/found.gguf');
    expect(rowOf(rows([OFFER, found], { modelPath: '/found.gguf' }), 'A file…').detail).not.toContain('in use');
    expect(rowOf(rows([OFFER], { modelPath: '/own.gguf', remoteUrl: 'box' }), 'A file…').detail).not.toContain(
      'in use',
    );
  });

  it('name the file in use for chat where no model of the list is, also beside one for suggestions', () => {
    const chats = rowOf(rows([OFFER], { chatModelPath: '/talker.gguf' }), 'A file…');
    expect(chats.label).toBe('$(comment-discussion) A file…');
    expect(chats.detail).toBe('/talker.gguf, in use for chat');
    const both = rowOf(rows([OFFER], { modelPath: '/own.gguf', chatModelPath: '/talker.gguf' }), 'A file…');
    expect(both.label).toBe('$(check) A file…');
    expect(both.detail).toBe('/own.gguf, in use · /talker.gguf, in use for chat');
    const onRemote = rows([OFFER], { modelPath: '/own.gguf', chatModelPath: '/talker.gguf', remoteUrl: 'box' });
    expect(rowOf(onRemote, 'A file…').detail).toBe('/talker.gguf, in use for chat');
    const found = onDisk('ollama', '/found.gguf');
    expect(rowOf(rows([OFFER, found], { chatModelPath: '/found.gguf' }), 'A file…').detail).not.toContain('in use');
  });

  it('have sections, the recommendation first', () => {
    const found = onDisk('ollama', '/found.gguf');
    const own = onDisk('download', '/own.gguf');
    const other = { ...CATALOGUE, id: 'catalogue:other', name: 'Other' };
    expect(outline(rows([OFFER, own, found, CATALOGUE, other]))).toEqual([
      '== Recommended',
      'Coder 7B',
      '== Included with Inkling',
      '$(check) Seed',
      '== Downloaded by Inkling',
      'Model at /own.gguf',
      '== Found on this machine',
      'Model at /found.gguf',
      '== Available to download',
      'Other',
      '== More options',
      '$(folder-opened) A file…',
      '$(globe) A repository or an address…',
      '$(remote) Remote server…',
    ]);
  });

  it('describe a model, its needs and capabilities', () => {
    const all = rows([OFFER, CATALOGUE]);
    expect(rowOf(all, 'Seed')).toMatchObject({
      description: '50 MB · in use · 55M · Q4_K_M · FIM · MTP',
      detail: 'simple suggestions · 240 tokens/s · needs 300 MB',
      buttons: [],
    });
    expect(rowOf(all, 'Coder')).toMatchObject({
      description: '7.6 GB download · 7B · Q8_0 · FIM · chat',
      detail: 'very good suggestions · tight: needs 8.0 GB · about 24 tokens/s',
    });
  });

  it.each<[Partial<ModelOffer['speed']>, string]>([
    [{}, ' · about 24 tokens/s'],
    [{ tokensPerSecond: 15 }, ' · about 15 tokens/s'],
    [{ tokensPerSecond: 1234 }, ' · about 1230 tokens/s'],
    [{ promptSeconds: 13.2 }, ' · slow here: 14 s to read a new file'],
    [{ tokensPerSecond: 7.64 }, ' · slow here: about 7.6 tokens/s'],
    [{ tokensPerSecond: 9.96 }, ' · slow here: about 10 tokens/s'],
    [{ tokensPerSecond: 0.5, promptSeconds: 145 }, ' · slow here: about 0.5 tokens/s'],
    [{ tokensPerSecond: 0.043, promptSeconds: 145 }, ' · slow here: about 0.04 tokens/s'],
    [{ tokensPerSecond: 0.001, promptSeconds: 145 }, ' · slow here: about 0.01 tokens/s'],
    [{ basis: 'measured' }, ' · 24 tokens/s'],
    [{ basis: 'measured', tokensPerSecond: 7.64 }, ' · slow here: 7.6 tokens/s'],
    [{ basis: 'assumed', promptSeconds: 13 }, ''],
    [{ basis: 'assumed', atLeast: 18 }, ' · at least 18 tokens/s'],
  ])('say of the speed what is known: %j', (change, text) => {
    const speed = { ...CATALOGUE.speed, ...change };
    const row = rowOf(rows([{ ...CATALOGUE, fit: 'comfortable', speed }]), 'Coder');
    expect(row.detail).toBe(`very good suggestions${text} · needs 8.0 GB`);
  });

  it.each<[Partial<ModelOffer['speed']>, string]>([
    [{}, ''],
    [
      { tokensPerSecond: 7.64, promptSeconds: 34.6 },
      'It would be slow on this machine: about 7.6 tokens/s, and 35 s to read a new file.',
    ],
    [{ tokensPerSecond: 7.64, basis: 'assumed' }, ''],
  ])('warn before the download of a slow model: %j', (change, warning) => {
    expect(describeSlowness({ speed: { ...CATALOGUE.speed, ...change } })).toBe(warning);
  });

  it.each<[Partial<ModelOffer>, string, string]>([
    [{}, 'for chat · COSTS · not known to be trained for suggestions', '7.6 GB download · 7B · Q8_0 · chat'],
    [
      { capabilities: OFFER.capabilities },
      'not known to be trained for suggestions · COSTS',
      '7.6 GB download · 7B · Q8_0 · MTP',
    ],
    [{ nextEdits: true }, 'for next edits · COSTS', '7.6 GB download · 7B · Q8_0 · chat'],
  ])('promise no suggestions of a model that was not trained for them', (change, detail, description) => {
    const row = rowOf(rows([{ ...CATALOGUE, fimTrained: false, ...change }]), 'Coder');
    expect(row.detail).toBe(detail.replace('COSTS', 'tight: needs 8.0 GB · about 24 tokens/s'));
    expect(row.description).toBe(description);
  });

  it('mark the model in use, wherever it is', () => {
    const all = rows([OFFER, onDisk('lmStudio', '/found.gguf')], { modelPath: '/found.gguf' });
    expect(rowOf(all, '/found.gguf').label).toBe('$(check) Model at /found.gguf');
    expect(rowOf(all, 'Seed').label).toBe('Seed');
  });

  it('give the reason if a model cannot be used', () => {
    const refusal = { code: 'noFimTokens', message: 'It has no fill-in-the-middle tokens' } as const;
    const row = rowOf(rows([onDisk('ollama', '/chat.gguf', { refusal })]), '/chat.gguf');
    expect(row).toMatchObject({
      label: '$(circle-slash) Model at /chat.gguf',
      detail: 'It has no fill-in-the-middle tokens.',
    });
  });

  it('keep the numbers short if the memory is too small', () => {
    const refusal = { code: 'outOfMemory', message: 'Long, with numbers' } as const;
    const row = rowOf(rows([{ ...CATALOGUE, fit: 'tooLarge', refusal }]), 'Coder');
    expect(row.detail).toBe('Too large: needs 8.0 GB of memory');
  });

  // At 200 % zoom a window of 1280 pixels shows about fifty characters, icon and name included on the first line.
  it.each(['en', 'de'])('begin with the important part, since a narrow list cuts the end: %s', (language) => {
    const name = 'Qwen2.5 Coder 7B Instruct';
    const chat = { fim: false, mtp: false, chat: true };
    const noFim = { code: 'noFimTokens', message: 'no tokens' } as const;
    const outOfMemory = { code: 'outOfMemory', message: 'Long, with numbers' } as const;
    const offers: readonly [Partial<ModelOffer>, RegExp][] = [
      [{}, /^(?:simple|einfache) .*: 7[.,]6 tok/i],
      [{ fit: 'tight' }, /^(?:simple|einfache) .*(?:tight|knapp).* 16 GB/],
      [{ fit: 'tooLarge', refusal: outOfMemory }, /^(?:Too large|Zu groß).* 16 GB/],
      [{ refusal: outOfMemory }, /^(?:Too large|Zu groß).* 16 GB/],
      [{ capabilities: chat, refusal: noFim }, /^(?:for chat only|nur für den Chat) .*: 7[.,]6 tok/i],
      [{ capabilities: chat, refusal: noFim, fit: 'tooLarge' }, /^(?:Too large|Zu groß).* 16 GB/],
    ];
    if (language === 'de') setTranslations({ language, texts: readGerman() });
    try {
      for (const [change, verdict] of offers) {
        const offer = onDisk('huggingFaceCache', '/a.gguf', {
          name,
          fileBytes: 15.2e9,
          memoryBytes: 16.4e9,
          speed: { ...OFFER.speed, tokensPerSecond: 7.6 },
          ...change,
        });
        for (const modelPath of ['', '/a.gguf']) {
          const { label, description, detail } = rowOf(rows([offer], { modelPath }), name);
          expect(`${label} ${description}`.slice(0, 50)).toMatch(/15[.,]2/);
          expect(detail.slice(0, 50)).toMatch(verdict);
        }
      }
    } finally {
      setTranslations(null);
    }
  });

  it("allow to delete only Inkling's downloads", () => {
    const all = rows([onDisk('download', '/own.gguf'), onDisk('huggingFaceCache', '/found.gguf')]);
    expect(rowOf(all, '/own.gguf').buttons).toEqual(['reveal', 'delete']);
    expect(rowOf(all, '/found.gguf').buttons).toEqual(['reveal']);
  });

  it('offer chat models for chat alone, and mark the current one', () => {
    const chat = { fim: false, mtp: false, chat: true };
    const noFim = { code: 'noFimTokens', message: 'no tokens' } as const;
    const offers = [
      OFFER,
      onDisk('ollama', '/talker.gguf', { capabilities: chat, refusal: noFim }),
      onDisk('ollama', '/both.gguf', { capabilities: { ...chat, fim: true } }),
      onDisk('ollama', '/coder.gguf'),
    ];
    const before = rows(offers, { modelPath: '/both.gguf' });
    expect(rowOf(before, '/talker.gguf')).toMatchObject({
      label: '$(comment) Model at /talker.gguf',
      detail: 'for chat only · 240 tokens/s · needs 300 MB · no fill-in-the-middle tokens',
      buttons: ['chat', 'reveal'],
    });
    expect(rowOf(before, '/both.gguf').buttons).toEqual(['reveal']);
    expect(rowOf(before, '/coder.gguf').buttons).toEqual(['reveal']);
    expect(outline(before).join()).not.toContain('One model');
    const after = rows(offers, { chatModelPath: '/talker.gguf' });
    expect(rowOf(after, '/talker.gguf')).toMatchObject({
      label: '$(comment-discussion) Model at /talker.gguf',
      description: expect.stringMatching(/^50 MB · in use for chat · /),
      buttons: ['reveal'],
    });
    expect(rowOf(after, 'One model for suggestions and chat').choice).toEqual({ kind: 'both' });
  });

  it('show unfinished downloads: running, paused, and running in another window', () => {
    const unfinished = [
      { modelPath: '/a.gguf', label: 'A', running: 'here', receivedBytes: 1e9, totalBytes: 2e9 },
      { modelPath: '/b.gguf', label: 'B', running: 'nowhere', receivedBytes: 0, totalBytes: null },
      { modelPath: '/c.gguf', label: 'C', running: 'elsewhere', receivedBytes: 1e9, totalBytes: 2e9 },
    ] as const;
    const all = rows([OFFER], { unfinished });
    expect(rowOf(all, 'A')).toMatchObject({
      label: '$(sync~spin) A',
      description: '1.0 GB of 2.0 GB',
      buttons: ['pause', 'discard'],
    });
    expect(rowOf(all, 'B')).toMatchObject({ label: '$(debug-pause) B', buttons: ['resume', 'discard'] });
    expect(rowOf(all, 'C')).toMatchObject({
      label: '$(sync~spin) C',
      detail: 'Another window is downloading it.',
      buttons: [],
    });
  });

  it('name a starter model whose file is missing', () => {
    const refusal = { code: 'fileNotFound', message: 'Its file is missing. Install Inkling again' } as const;
    const nothing = { fileBytes: 0, quantization: '', capabilities: { fim: false, mtp: false, chat: false } };
    expect(rowOf(rows([{ ...OFFER, ...nothing, refusal }]), 'Seed')).toMatchObject({
      description: 'in use',
      detail: 'Its file is missing. Install Inkling again.',
    });
  });

  it('begin with the typed text, if it names a model', () => {
    const reference = { kind: 'reference', text: 'owner/repo:Q8_0' } as const;
    const [first] = rows([OFFER], { typed: reference });
    expect(first).toMatchObject({ label: '$(cloud-download) Download owner/repo:Q8_0', choice: reference });
    const file = { kind: 'file', path: '/models/$(x).gguf' } as const;
    expect(rows([OFFER], { typed: file })[0]).toMatchObject({
      label: '$(file) Use /models/$ (x).gguf',
      choice: file,
    });
  });
});

it('a button that failed says what it could not do, and why', () => {
  const choice = { kind: 'offer', offer: CATALOGUE } as const;
  const failure = (button: PickerButton) => describeFailure(button, choice, 'EPERM: not permitted');
  expect(failure('delete')).toBe('Coder 7B cannot be deleted: EPERM: not permitted');
  expect(failure('chat')).toBe('Coder 7B cannot be used for chat: EPERM: not permitted');
  expect(failure('pause')).toBe('The download cannot be changed: EPERM: not permitted');
});

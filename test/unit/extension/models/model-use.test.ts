import { beforeEach, expect, it, vi } from 'vitest';
import { ModelUse } from '../../../../extension/src/models/model-use.js';
import { fakeUser } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

let setting: string;
let chatSetting: string;
let use: ModelUse;
let loads: number;
/** Ends the check of a model. */
let checked: Map<string, () => void>;
/** What the check says of a model that is refused. */
let refused: Map<string, object>;

beforeEach(() => {
  fakeUser.open();
  setting = '';
  chatSetting = '';
  loads = 0;
  checked = new Map();
  refused = new Map();
  use = new ModelUse({
    store: '/store',
    request: <T>(_method: string, { path }: { path?: string }) =>
      new Promise<T | null>((resolve) =>
        checked.set(path ?? '', () => resolve((refused.get(path ?? '') ?? { kind: 'usable', error: null }) as T)),
      ),
    modelPath: () => setting,
    remoteUrl: () => '',
    writeModelPath: async (path) => {
      setting = path;
    },
    writeContextLength: async () => undefined,
    writeChatModelPath: async (path) => {
      chatSetting = path;
    },
    clearRemoteUrl: async () => undefined,
    loadAgain: () => {
      loads += 1;
    },
  });
});

/** Chooses two models, of which the check of the first takes longer. */
async function chooseTwice(first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<void> {
  const both = [first(), second()];
  checked.get('/second.gguf')?.();
  await both[1];
  checked.get('/first.gguf')?.();
  await both[0];
}

it('uses the model that was chosen last, whichever is checked first', async () => {
  await chooseTwice(
    () => use.use('/first.gguf'),
    () => use.use('/second.gguf'),
  );
  expect(setting).toBe('/second.gguf');
});

it('loads the model of the settings where it is chosen again, such as after another download of its file', async () => {
  const choose = async (isAsked: boolean) => {
    const used = use.use('/first.gguf', isAsked);
    checked.get('/first.gguf')?.();
    await used;
  };
  await choose(true);
  // The changed setting does it.
  expect([setting, loads]).toEqual(['/first.gguf', 0]);
  await choose(true);
  await choose(false);
  expect([setting, loads]).toEqual(['/first.gguf', 2]);
});

it('uses the starter model if that was chosen last', async () => {
  const used = use.use('/first.gguf');
  await use.useStarter();
  checked.get('/first.gguf')?.();
  await used;
  expect(setting).toBe('');
});

it('uses a chosen model, not one whose download ends while that is checked', async () => {
  await chooseTwice(
    () => use.use('/first.gguf'),
    () => use.use('/second.gguf', false),
  );
  expect(setting).toBe('/first.gguf');
  await chooseTwice(
    () => use.use('/first.gguf', false),
    () => use.use('/second.gguf'),
  );
  expect(setting).toBe('/second.gguf');
});

it('uses the chat model that was chosen last, or none', async () => {
  await chooseTwice(
    () => use.useForChat('/first.gguf'),
    () => use.useForChat('/second.gguf'),
  );
  expect(chatSetting).toBe('/second.gguf');
  const used = use.useForChat('/first.gguf');
  await use.useForBoth();
  checked.get('/first.gguf')?.();
  expect([await used, chatSetting]).toEqual([false, '']);
});

it('chats with a chosen model, not with one whose download ends while that is checked', async () => {
  await chooseTwice(
    () => use.useForChat('/first.gguf', false),
    () => use.useForChat('/second.gguf'),
  );
  expect(chatSetting).toBe('/second.gguf');
});

it('uses a model by the button of its refusal, not one that was being checked when that was pressed', async () => {
  let second: Promise<unknown> | null = null;
  const error = {
    code: 'outOfMemory',
    // The other one is chosen while the refusal is shown.
    get message() {
      second ??= use.use('/second.gguf');
      return 'It needs 9 GB';
    },
  };
  refused.set('/first.gguf', {
    kind: 'refused',
    error,
    contextLength: 4096,
    canChat: true,
    alternative: { name: 'B' },
  });
  fakeUser.button = 'Use a Context of 4096 Tokens';
  const first = use.use('/first.gguf');
  checked.get('/first.gguf')?.();
  await first;
  expect(fakeUser.buttons).toEqual([expect.arrayContaining([fakeUser.button])]);
  expect([setting, second === null]).toEqual(['/first.gguf', false]);
  checked.get('/second.gguf')?.();
  await second;
  expect(setting).toBe('/first.gguf');
});

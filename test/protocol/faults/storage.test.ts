import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DECISIONS_REQUEST, type Decision, HEARTBEAT_REQUEST } from '../../../server/protocol/index.js';
import { sureCode } from '../../support/code/sure-code.js';
import { SmallDisk } from '../../support/faults/small-disk.js';
import { isLeftOutDaily } from '../../support/left-out-daily.js';
import { repositoryRoot, type ServerProcess, starterModel } from '../../support/servers/server-process.js';
import { damagedFiles, stateFiles, UserPlace } from '../../support/servers/user-place.js';

const PATIENT = { timeBudgetMs: 60_000, threads: 1, unloadAfterMinutes: 0 };
const JUMPING_CLOCK = `--require ${path.join(repositoryRoot, 'test/support/faults/jumping-clock.cjs')}`;
const DOCUMENT = 'file:///work/read.ts';

const DISK_BYTES = 2 ** 20;
const disk = SmallDisk.mount(DISK_BYTES);
afterAll(() => disk?.dispose());

let place: UserPlace;

beforeEach(() => {
  place = new UserPlace();
});
afterEach(() => place.dispose());

/** A server with the user's model, which writes more files than one with the starter model. */
async function serve(at: UserPlace, environment: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  const server = at.start({ environment });
  await server.initialize({ ...PATIENT, modelPath: at.ownModel() });
  await server.waitForState('ready');
  return server;
}

async function expectSuggestion(server: ServerProcess): Promise<void> {
  const { text, position } = sureCode();
  await server.open(DOCUMENT, 'typescript', text);
  expect(await server.complete(DOCUMENT, position)).not.toEqual([]);
  await server.close(DOCUMENT);
}

async function expectOrderlyEnd(server: ServerProcess): Promise<void> {
  expect(await server.shutdown()).toBe(0);
  expect(server.stderr).toBe('');
}

describe('a state folder', () => {
  it('that cannot be made costs no suggestion', async () => {
    // Everything below a file fails, for every user.
    writeFileSync(place.state, 'no folder');
    const server = await serve(place);
    await expectSuggestion(server);
    await expectOrderlyEnd(server);
  });

  it.each(['', '{"version":', '[{"file":{"path":1}}]', 'null'])('with files of %j starts again', async (content) => {
    mkdirSync(path.join(place.state, 'loading'), { recursive: true });
    for (const name of ['statistics', 'confidence', 'crashed-models', 'examined-models', 'loading/1-1']) {
      writeFileSync(path.join(place.state, `${name}.json`), content);
    }
    const server = await serve(place);
    await expectSuggestion(server);
    expect(await server.shutdown()).toBe(0);
    expect(damagedFiles(place.state).filter((name) => name.startsWith('statistics'))).toEqual([]);
  });
});

describe.skipIf(disk === null || isLeftOutDaily('full disks'))('a disk with the state folder', () => {
  let user: UserPlace;
  let kept: ReadonlyMap<string, string>;

  const contents = () =>
    new Map(stateFiles(user.state).map((name) => [name, readFileSync(path.join(user.state, name), 'utf8')]));

  beforeEach(async () => {
    user = new UserPlace(path.join(disk?.path ?? '', 'state'));
    const first = await serve(user);
    await expectSuggestion(first);
    await expectOrderlyEnd(first);
    kept = contents();
    expect(kept.size).toBeGreaterThan(1);
  });
  afterEach(async () => {
    disk?.resize(DISK_BYTES);
    await user.dispose();
    rmSync(user.state, { recursive: true, force: true });
  });

  it('that is full costs no suggestion and no file, and is used again when there is room', async () => {
    const ballast = disk?.fill() ?? '';
    expect(() => writeFileSync(path.join(user.state, 'more'), 'more')).toThrow('ENOSPC');
    rmSync(path.join(user.state, 'more'), { force: true });
    const second = await serve(user);
    await expectSuggestion(second);
    await expectOrderlyEnd(second);
    expect(damagedFiles(user.state)).toEqual([]);
    expect(contents()).toEqual(kept);

    rmSync(ballast);
    const third = await serve(user);
    await expectSuggestion(third);
    await expectOrderlyEnd(third);
    expect(damagedFiles(user.state)).toEqual([]);
    expect(shownIn(contents())).toBeGreaterThan(shownIn(kept));
  });

  it('that becomes full while the server runs costs no suggestion and no file', async () => {
    const second = await serve(user);
    const ballast = disk?.fill() ?? '';
    await expectSuggestion(second);
    await expectOrderlyEnd(second);
    expect(damagedFiles(user.state)).toEqual([]);
    expect(shownIn(contents())).toBe(shownIn(kept));
    rmSync(ballast);
  });

  it('that can only be read costs no suggestion and no file', async () => {
    disk?.makeReadOnly();
    expect(() => writeFileSync(path.join(user.state, 'more'), 'more')).toThrow('EROFS');
    const second = await serve(user);
    await expectSuggestion(second);
    await expectOrderlyEnd(second);
    expect(contents()).toEqual(kept);
  });

  /** Suggestions that the statistics count. */
  function shownIn(files: ReadonlyMap<string, string>): number {
    const { shown } = JSON.parse(files.get('statistics.json') ?? '{}') as { readonly shown?: number };
    expect(shown).toBeGreaterThan(0);
    return shown ?? 0;
  }
});

// Windows has no such signal.
describe.skipIf(process.platform === 'win32' || isLeftOutDaily('clocks that jump'))('a wall clock that jumps', () => {
  const HALF_A_YEAR_MS = 183 * 24 * 60 * 60_000;

  it('a year ahead and a year back while the engine works costs no answer and no file', async () => {
    const right = await serve(place);
    const server = await serve(place, { NODE_OPTIONS: JUMPING_CLOCK });
    for (const direction of [1, -1]) {
      const pending = generation(server);
      await server.waitForState('working');
      server.child.kill('SIGUSR2');
      await expectSuggestion(server);
      await pending;
      const [decision] = await server.connection.sendRequest<Decision[]>(DECISIONS_REQUEST);
      expect(((decision?.at ?? 0) - Date.now()) * direction).toBeGreaterThan(HALF_A_YEAR_MS);
      expect(await server.connection.sendRequest(HEARTBEAT_REQUEST)).toBeNull();
      await expectSuggestion(right);
    }
    await expectOrderlyEnd(server);
    await expectOrderlyEnd(right);
    expect(damagedFiles(place.state)).toEqual([]);
    // Neither took the other's locks for abandoned, and none is left.
    const { shown } = JSON.parse(readFileSync(path.join(place.state, 'statistics.json'), 'utf8'));
    expect(shown).toBe(4);
    expect(stateFiles(path.join(place.state, 'loading'))).toEqual([]);
  });

  /** A long answer, which the next request cancels. */
  async function generation(server: ServerProcess): Promise<void> {
    const uri = 'file:///work/long.ts';
    await server.open(uri, 'typescript', 'const a = 1;\n'.repeat(300));
    await server.complete(uri, { line: 300, character: 0 }).catch(() => []);
    await server.close(uri);
  }
});

describe.skipIf(!existsSync('/usr/bin/prlimit'))('a server with too little memory', () => {
  // From a process that cannot even load the addon to one that lacks the last buffer.
  const limits = isLeftOutDaily('most limits of memory') ? [150, 350] : [150, 200, 250, 350, 450];

  it.each(limits)('of %i MB says so or ends, and the next one works', async (megabytes) => {
    const limited = place.start({ through: ['/usr/bin/prlimit', `--data=${megabytes * 1_000_000}`] });
    const serves = limited.initialize(PATIENT).then(() => limited.waitForState('ready'));
    // A model, an error or the end: it comes soon.
    await Promise.race([serves.catch(() => undefined), limited.exited()]);
    await limited.dispose();
    const next = place.start();
    await next.initialize(PATIENT);
    expect((await next.waitForState('ready')).model?.path).toBe(starterModel);
    expect(await next.shutdown()).toBe(0);
    await expect.poll(() => place.processesLeft()).toEqual([]);
    expect(damagedFiles(place.state)).toEqual([]);
  });
});

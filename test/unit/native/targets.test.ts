import { describe, expect, test } from 'vitest';
import { crossDefinitions, HOST, TARGETS, targetFolders } from '../../../native/targets.mjs';

describe('targets', () => {
  test('never build over the modules of this machine', () => {
    expect(targetFolders(HOST)).toEqual({ build: 'build', modules: 'dist/native' });
    const others = TARGETS.filter((target) => target !== HOST).map((target) => targetFolders(target));
    expect(others.map(({ modules }) => modules)).toEqual(others.map(({ build }) => `${build}/modules`));
    expect(new Set(others.map(({ build }) => build)).size).toBe(others.length);
  });

  test.each([
    ['linux-arm64', 'linux', 'native/cmake/aarch64-linux-gnu.cmake'],
    ['win32-x64', 'linux', 'native/cmake/x86_64-w64-mingw32.cmake'],
    ['darwin-x64', 'darwin', '-DCMAKE_OSX_ARCHITECTURES=x86_64'],
    ['darwin-arm64', 'darwin', '-DCMAKE_OSX_ARCHITECTURES=arm64'],
  ] as const)('%s is built on %s', (target, platform, definition) => {
    expect(crossDefinitions(target, platform).join('\n')).toContain(definition);
  });

  test.each([
    ['darwin-arm64', 'linux'],
    ['linux-arm64', 'win32'],
    ['linux-x64', 'darwin'],
    ['plan9-x64', 'linux'],
  ] as const)('%s cannot be built on %s, which is said', (target, platform) => {
    expect(() => crossDefinitions(target, platform)).toThrow(`${platform} cannot build for ${target}`);
  });
});

import { describe, expect, test } from 'vitest';
import { checkedRelease, isPrerelease } from '../../../extension/release.mjs';

const changelog = '# Changelog\n\n## 0.2.0 (1 December 2026)\n\n- Something\n\n## 0.1.0\n';

describe('a release', () => {
  test.each([
    ['0.1.0', true],
    ['0.2.7', false],
    ['1.10.3', false],
    ['1.11.0', true],
  ])('%s is a pre-release: %s', (version, expected) => {
    expect(isPrerelease(version)).toBe(expected);
  });

  test('has a version that the marketplace takes', () => {
    expect(() => isPrerelease('1.0.0-beta')).toThrow('not 1.0.0-beta');
  });

  test('has the tag of its version and a section in the changelog', () => {
    const release = checkedRelease({ tag: 'v0.2.0', version: '0.2.0', changelog });
    expect(release).toEqual({ version: '0.2.0', prerelease: false });
  });

  test.each([
    ['v0.2.1', '0.2.0', 'the tag is v0.2.1'],
    ['0.2.0', '0.2.0', 'the tag is 0.2.0'],
    ['v0.3.0', '0.3.0', 'CHANGELOG.md has no section 0.3.0'],
    ['v0.2', '0.2', 'CHANGELOG.md has no section 0.2'],
  ])('with the tag %s and version %s is refused', (tag, version, reason) => {
    expect(() => checkedRelease({ tag, version, changelog })).toThrow(reason);
  });
});

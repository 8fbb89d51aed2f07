import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPOSITORY_ROOT, readSource } from '../support/source-tree.js';

const claims = [...readSource('SECURITY.md').matchAll(/^\| (?<claim>[A-Z].+\.) \| (?<tests>.*) \|$/gm)].map(
  ({ groups }) => ({ claim: groups?.claim ?? '', tests: [...(groups?.tests ?? '').matchAll(/`([^`]+)`/g)] }),
);

describe('SECURITY.md', () => {
  test('makes claims', () => {
    expect(claims.length).toBeGreaterThan(25);
  });

  test.each(claims)('$claim', ({ tests }) => {
    const files = tests.map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(path.join(REPOSITORY_ROOT, 'test', file)))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { packageReadme } from '../../../extension/package-readme.mjs';
import { readSource } from '../../support/source-tree.js';

describe('the README of a package', () => {
  it('has no pictures that VS Code cannot find, nor their captions', () => {
    const text = 'Before.\n\n![Ghost text](media/ghost.webp)\n\n*A real window.*\n\n*After.*\n';
    expect(packageReadme(text)).toBe('Before.\n\n*After.*\n');
  });

  it('has the words of links that lead nowhere, and keeps the others', () => {
    const text = 'See [SECURITY.md](SECURITY.md), [below](#chat) and [the docs](https://example.org/a).';
    expect(packageReadme(text)).toBe('See SECURITY.md, below and [the docs](https://example.org/a).');
  });

  it('keeps the rest of ours', () => {
    const readme = readSource('README.md');
    const packed = packageReadme(readme);
    expect(packed).not.toMatch(/\]\((?!https?:)/);
    expect(packed).toContain('CONTRIBUTING.md explains how to work on it.');
    const headings = (text: string) => text.split('\n').filter((line) => line.startsWith('#'));
    expect(headings(packed)).toEqual(headings(readme));
  });
});

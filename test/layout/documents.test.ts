import { existsSync } from 'node:fs';
import path from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { listSources, REPOSITORY_ROOT, readSource } from '../support/source-tree.js';

const FOLDERS = ['.github', 'extension', 'media', 'native', 'server', 'test'];
/** Release notes name files as they were. */
const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'PUBLISHING.md', 'SECURITY.md'];
/** Builds and runs make these. */
const MADE = /^(build|dist|node_modules|\.cache|test\/\.output)\//;

const files = FOLDERS.flatMap((folder) => listSources(folder, /^(?!test\/(\.output|fixtures)\/)/));
const documents = [...PAGES, ...files.filter((file) => file.endsWith('.md') && !file.startsWith('media/'))];

describe.each(documents)('%s', (document) => {
  const text = readSource(document).replaceAll(/```.*?```/gs, '');

  test('links to what exists', () => {
    const prose = text.replaceAll(/`[^`]*`/g, '');
    const targets = [...prose.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
    const broken = targets.filter((target) => !existsSync(path.join(REPOSITORY_ROOT, path.dirname(document), target)));
    expect(broken).toEqual([]);
  });

  test('names files that exist, by the end of their path', () => {
    const named = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|mts|mjs|cjs|cpp|h|md|css|patch))`/g)];
    const ours = named.map(([, name = '']) => name).filter((name) => !MADE.test(name));
    const missing = ours.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)));
    expect(missing).toEqual([]);
  });
});

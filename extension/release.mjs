// `node extension/release.mjs TAG`: refuses a tag that does not fit the sources, and prints what the release's workflow
// wants to know, as lines of NAME=VALUE.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMain } from '../test/support/is-main.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** Odd minor versions are pre-releases, as VS Code advises: the marketplace knows no other mark in a version. */
export function isPrerelease(version) {
  const minor = /^\d+\.(\d+)\.\d+$/.exec(version)?.[1];
  if (minor === undefined) throw new Error(`the marketplace takes versions of three numbers, not ${version}`);
  return Number(minor) % 2 === 1;
}

/**
 * @param {{ tag: string, version: string, changelog: string }} release `version` is package.json's
 * @returns {{ version: string, prerelease: boolean }}
 * @throws Error where they do not fit
 */
export function checkedRelease({ tag, version, changelog }) {
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, but package.json has version ${version}`);
  const headings = changelog.split('\n').filter((line) => line.startsWith('## '));
  if (!headings.some((line) => /^## \[?([\d.]+)/.exec(line)?.[1] === version)) {
    throw new Error(`CHANGELOG.md has no section ${version}`);
  }
  return { version, prerelease: isPrerelease(version) };
}

if (isMain(import.meta.url)) {
  try {
    const read = (file) => readFileSync(path.join(root, file), 'utf8');
    const { version } = JSON.parse(read('package.json'));
    const release = checkedRelease({ tag: process.argv[2] ?? '', version, changelog: read('CHANGELOG.md') });
    for (const [name, value] of Object.entries(release)) console.log(`${name}=${value}`);
  } catch (error) {
    console.error(`release: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

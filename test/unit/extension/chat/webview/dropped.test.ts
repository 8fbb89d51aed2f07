import { describe, expect, it } from 'vitest';
import { droppedAddresses, takesDrop } from '../../../../../extension/src/chat/webview/dropped.js';

const drop = (data: Readonly<Record<string, string>>) => ({ getData: (type: string) => data[type] ?? '' });

describe('what is dropped on the panel', () => {
  it.each([
    ['files of the explorer', ['application/vnd.code.uri-list', 'text/plain'], true],
    ['files of another program', ['Files'], true],
    ['addresses', ['text/uri-list', 'text/plain'], true],
    // Otherwise nobody could drag a part of an answer into the input.
    ['text', ['text/plain', 'text/html'], false],
    ['nothing known', [], false],
  ])('is for the panel if it has files: %s', (_name, types, expected) => {
    expect(takesDrop(types)).toBe(expected);
  });

  it("is attached by VS Code's own addresses, or by those of other programs, without comments", () => {
    const other = '# files\r\nfile:///a.ts\r\n\r\nfile:///b.ts\r\n';
    expect(droppedAddresses(drop({ 'text/uri-list': other }))).toEqual(['file:///a.ts', 'file:///b.ts']);
    const own = 'vscode-vfs://github/a.ts';
    expect(droppedAddresses(drop({ 'application/vnd.code.uri-list': own, 'text/uri-list': other }))).toEqual([own]);
    expect(droppedAddresses(drop({ 'text/plain': 'file:///a.ts' }))).toEqual([]);
  });
});

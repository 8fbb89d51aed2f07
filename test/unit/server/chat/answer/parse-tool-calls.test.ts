import { describe, expect, test } from 'vitest';
import type { ChatTool } from '../../../../../server/protocol/index.js';
import { parseJsonCalls, parseMarked, parseTagged } from '../../../../../server/src/chat/answer/parse-tool-calls.js';

const TOOLS: readonly ChatTool[] = [
  {
    name: 'read_file',
    description: 'Reads.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, from: { type: 'integer' }, deep: { type: 'boolean' }, any: {} },
    },
  },
  { name: 'now', description: 'The time.' },
];
const read = (input: object) => ({ name: 'read_file', input });

describe('JSON', () => {
  test.each([
    ['a call', '{"name": "read_file", "arguments": {"path": "a"}}', [read({ path: 'a' })]],
    ['parameters', '{"name": "read_file", "parameters": {"path": "a"}}', [read({ path: 'a' })]],
    [
      'a function inside',
      '{"type": "function", "function": {"name": "now", "arguments": {}}}',
      [{ name: 'now', input: {} }],
    ],
    ['input as JSON text', '{"name": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}', [read({ path: 'a' })]],
    ['no input', '{"name": "now"}', [{ name: 'now', input: {} }]],
    ['a list', '[{"name": "now"}, {"name": "read_file", "arguments": {}}]', [{ name: 'now', input: {} }, read({})]],
    [
      'several',
      '{"name": "now"}; {"name": "now"}\n',
      [
        { name: 'now', input: {} },
        { name: 'now', input: {} },
      ],
    ],
    ['brackets in texts', '{"name": "read_file", "arguments": {"path": "}\\"]{"}}', [read({ path: '}"]{' })]],
    ['a tool that is not there', '{"name": "format_disk", "arguments": {}}', null],
    ['one that is there beside one that is not', '[{"name": "now"}, {"name": "later"}]', null],
    ['JSON that ends early', '{"name": "read_file", "arguments": {"path": "a"', null],
    ['input that is a list', '{"name": "read_file", "arguments": [1]}', null],
    ['input that is a text', '{"name": "read_file", "arguments": "a"}', null],
    ['no name', '{"arguments": {}}', null],
    ['null', 'null', null],
    ['numbers', '[1, 2]', null],
    ['an empty list', '[]', null],
    // No message could carry such a call to the client.
    [
      'input that nests too deep to be written again',
      `{"name": "now", "arguments": {"a": ${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
      null,
    ],
    ['words', 'I would call now()', null],
    ['nothing', '', null],
  ])('%s', (_name, text, expected) => {
    expect(parseJsonCalls(text, TOOLS)).toEqual(expected);
  });
});

describe('tags', () => {
  const call = (...parameters: string[]) => `\n<function=read_file>\n${parameters.join('\n')}\n</function>\n`;
  test.each([
    ['JSON between them', '\n{"name": "now", "arguments": {}}\n', [{ name: 'now', input: {} }]],
    ['no parameters', call(), [read({})]],
    ['a text over several lines', call('<parameter=path>\n a\nb\n</parameter>'), [read({ path: ' a\nb' })]],
    ['a text that looks like a number', call('<parameter=path>\n5\n</parameter>'), [read({ path: '5' })]],
    ['a number', call('<parameter=from>\n5\n</parameter>'), [read({ from: 5 })]],
    ['a number in words', call('<parameter=from>\nfive\n</parameter>'), [read({ from: 'five' })]],
    ['a Python truth', call('<parameter=deep>\nTrue\n</parameter>'), [read({ deep: true })]],
    ['an object', call('<parameter=any>\n{"a": [1]}\n</parameter>'), [read({ any: { a: [1] } })]],
    ['a parameter that nobody knows', call('<parameter=x>\ny\n</parameter>'), [read({ x: 'y' })]],
    [
      'closing tags forgotten',
      '<function=read_file>\n<parameter=path>\na\n<parameter=from>\n1\n',
      [read({ path: 'a', from: 1 })],
    ],
    [
      'two',
      '<function=now>\n</function><function=now>\n</function>',
      [
        { name: 'now', input: {} },
        { name: 'now', input: {} },
      ],
    ],
    ['a tool that is not there', '<function=format_disk></function>', null],
    ['no name', '<function=>x</function>', null],
    ['a name of the prototype', '<function=constructor></function>', null],
  ])('%s', (_name, text, expected) => {
    expect(parseTagged(text, TOOLS)).toEqual(expected);
  });

  test('a parameter may have any name', () => {
    const [found] = parseTagged(call('<parameter=__proto__>\n{"x": 1}\n</parameter>'), TOOLS) ?? [];
    expect(Object.keys(found?.input ?? {})).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(found?.input)).toBe(Object.prototype);
  });
});

describe('a marker', () => {
  test.each([
    ['a list', '[TOOL_CALLS][{"name": "now", "arguments": {}, "id": "abcdefghi"}]', [{ name: 'now', input: {} }]],
    ['a name with its input', '[TOOL_CALLS]read_file[ARGS]{"path": "a"}', [read({ path: 'a' })]],
    ['an id between them', '[TOOL_CALLS]now[CALL_ID]abcdefghi[ARGS]{}', [{ name: 'now', input: {} }]],
    ['a name and JSON alone', '[TOOL_CALLS]now{}', [{ name: 'now', input: {} }]],
    ['several', '[TOOL_CALLS]now[ARGS]{}[TOOL_CALLS]read_file[ARGS]{}', [{ name: 'now', input: {} }, read({})]],
    ['a tool that is not there', '[TOOL_CALLS]later[ARGS]{}', null],
    ['JSON that ends early', '[TOOL_CALLS]read_file[ARGS]{"path": ', null],
    ['nothing', '[TOOL_CALLS]', null],
  ])('%s', (_name, text, expected) => {
    expect(parseMarked(text, '[TOOL_CALLS]', TOOLS)).toEqual(expected);
  });
});

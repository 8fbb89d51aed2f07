import { expect, it } from 'vitest';
import { cutLeakedSpecialTokens } from '../../../../../../server/src/completion/postprocess/cut/leaked-special-tokens.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

const filter = (text: string): string => cutLeakedSpecialTokens(filterInput('a = ║', text));

it.each([
  ['1;<|endoftext|>import x', '1;'],
  ['1;<|file_sep|>src/a.ts', '1;'],
  ['1;<fim_suffix>b', '1;'],
  ['1;<｜fim▁hole｜>b', '1;'],
  ['<|fim_middle|>', ''],
])('cuts %j to %j', (text, expected) => {
  expect(filter(text)).toBe(expected);
});

it.each(['a <| b |> c', 'Array<fim>()', '<s>struck</s> out'])('leaves %j alone', (text) => {
  expect(filter(text)).toBe(text);
});

it.each([
  ['<p>║', '<s>struck</s>', '<s>struck</s>'],
  ['<p>\n  ║', '<s class="old">struck</s>', '<s class="old">struck</s>'],
  ['<s>struck║', '</s>', '</s>'],
  ['<s>a</s>║', ' and b</s>', ' and b'],
  ['<p>║', 'text</p></s>', 'text</p>'],
  ['<p>║', '<span>text</span></s>', '<span>text</span>'],
])('takes a closing tag for the end of a text only where nothing opened it: %j %j', (marked, text, expected) => {
  expect(cutLeakedSpecialTokens(filterInput(marked, text))).toBe(expected);
});

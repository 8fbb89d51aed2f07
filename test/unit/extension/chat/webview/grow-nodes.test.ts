import { expect, it } from 'vitest';
import { growNodes } from '../../../../../extension/src/chat/webview/grow-nodes.js';
import { PageElement, type PageNode, PageText } from './page-nodes.js';

type Parameter = Parameters<typeof growNodes>;

const make = (name: string, ...children: readonly (PageNode | string)[]) => new PageElement(name, {}, ...children);
const token = (kind: string, text: string) => new PageElement('span', { class: kind }, text);

/** Makes the last children of an element like others, and returns what stands in the page. */
function grow(shown: PageElement, wanted: PageElement, from = 0): readonly unknown[] {
  const children = (nodes: readonly PageNode[]) => nodes as unknown as Parameter[1];
  return growNodes(
    shown as unknown as Parameter[0],
    children(shown.childNodes.slice(from)),
    children(wanted.childNodes),
  );
}

it('a text that grows keeps its characters, and with them a selection', () => {
  const text = new PageText('Use a ma');
  const answer = make('div', make('p', text));
  grow(answer, make('div', make('p', 'Use a map.')));
  expect([answer.html, text.untouched]).toEqual(['<div><p>Use a map.</p></div>', 'Use a ma'.length]);
});

it('a text keeps what stands before markup that has just been closed', () => {
  const text = new PageText('Use a **map');
  const answer = make('div', make('p', text));
  grow(answer, make('div', make('p', 'Use a ', make('strong', 'map'))));
  expect([answer.html, text.untouched]).toEqual(['<div><p>Use a <strong>map</strong></p></div>', 'Use a '.length]);
});

it('code keeps its coloured words, but for one that has become another', () => {
  const [keyword, name, text] = [token('keyword', 'const'), token('variable', 'n'), new PageText(' ')];
  const answer = make('div', make('pre', keyword, text, name));
  grow(answer, make('div', make('pre', token('keyword', 'const'), ' ', token('title', 'now'), ' =')));
  expect(answer.html).toBe('<div><pre><span class="keyword">const</span> <span class="title">now</span> =</pre></div>');
  expect([keyword.parent?.nodeName, text.untouched, name.parent]).toEqual(['pre', 1, null]);
});

it.each([
  ['another element', make('ul', make('li', 'one'))],
  ['fewer nodes', make('p')],
  ['more nodes', make('p', 'one', make('em', 'two'), 'three', make('em', 'four'))],
  ['a text in place of an element', make('p', 'one, two')],
])('becomes what is wanted: %s', (_name, wanted) => {
  const { html } = wanted;
  const answer = make('div', make('p', 'one', make('em', 'two')));
  grow(answer, make('div', wanted));
  expect(answer.html).toBe(`<div>${html}</div>`);
});

it('leaves the blocks before alone, and says which nodes stand in the page', () => {
  const [first, second] = [make('p', 'one'), make('p', 'two')];
  const answer = make('div', first, second);
  const grown = grow(answer, make('div', make('p', 'two and'), make('p', 'three')), 1);
  expect(answer.html).toBe('<div><p>one</p><p>two and</p><p>three</p></div>');
  expect([grown[0] === second, grown[1] === answer.childNodes[2]]).toEqual([true, true]);
});

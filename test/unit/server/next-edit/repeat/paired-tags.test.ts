import { describe, expect, it } from 'vitest';
import { RepeatedEdits } from '../../../../../server/src/next-edit/repeat/repeated-edits.js';
import { LEAST_CHANCE } from '../../../../../server/src/next-edit/repeat/site-odds.js';
import { searchedTexts } from './searched-texts.js';

const searched = searchedTexts();

/** Renames the tag in `«»` to `section`, and makes every edit that is due then. */
async function renamed(marked: string, languageId: string): Promise<string> {
  const uri = `file:///work/own.${languageId}`;
  const original = marked.replaceAll(/[«»]/g, '');
  const updated = marked.replace(/«.*»/, 'section');
  const document = await searched(uri, languageId, updated);
  const edits = new RepeatedEdits([{ uri, line: 1, original, updated }], () => document);
  return edits
    .in(document)
    .filter(({ chance }) => chance >= LEAST_CHANCE)
    .toReversed()
    .reduce((text, { start, end, newText }) => text.slice(0, start) + newText + text.slice(end), document.text);
}

describe('the other tag of a renamed one is due', () => {
  it.each<[string, string, string, string]>([
    [
      'the closing one, past others of the name',
      'html',
      '<div>\n  <«div» class="a>b">\n    <div>x</div><br><img src="y">\n    <!-- </div> -->\n  </div>\n</div>\n',
      '<div>\n  <section class="a>b">\n    <div>x</div><br><img src="y">\n    <!-- </div> -->\n  </section>\n</div>\n',
    ],
    [
      'the opening one',
      'html',
      '<div>\n  <div id="a">\n    <div>x</div>\n  </«div»>\n</div>\n',
      '<div>\n  <section id="a">\n    <div>x</div>\n  </section>\n</div>\n',
    ],
    [
      'behind code in braces',
      'typescriptreact',
      'const a = (\n  <«div» onClick={() => f<T>(1 > 2 ? "}" : 3)}>\n    <div />\n    {list.map((x) => <div key={x}>{x}</div>)}\n  </div>\n);\n',
      'const a = (\n  <section onClick={() => f<T>(1 > 2 ? "}" : 3)}>\n    <div />\n    {list.map((x) => <div key={x}>{x}</div>)}\n  </section>\n);\n',
    ],
  ])('%s (%s)', async (_, languageId, marked, expected) => {
    expect(await renamed(marked, languageId)).toBe(expected);
  });

  it.each([
    ['where the editor has renamed both', 'html', '<div>\n  <«div»>x</section>\n</div>\n'],
    ['where it closes itself', 'typescriptreact', 'const a = <div>\n  <«div» />\n</div>;\n'],
    ['where tags do not match', 'html', '<ul>\n  <«li»>x\n  <p>y</b>\n  </li>\n</ul>\n'],
    ['where another one closes', 'html', '<ul>\n  <«li»>x\n</ul>\n<li>y</li>\n'],
    ['for a type', 'typescriptreact', 'const a: Map<«div», number> = b;\nconst c = <div>x</div>;\n'],
    ['in another language', 'typescript', "const a = '<«div»>x</div>';\n"],
  ])('not %s (%s)', async (_, languageId, marked) => {
    expect(await renamed(marked, languageId)).toBe(marked.replace(/«.*»/, 'section'));
  });
});

import { describe, expect, it } from 'vitest';
import { RepeatedEdits } from '../../../../../server/src/next-edit/repeat/repeated-edits.js';
import type { EditedText } from '../../../../../server/src/next-edit/repeat/replacement.js';
import type { SearchedText } from '../../../../../server/src/next-edit/repeat/searched-text.js';
import { searchedTexts } from './searched-texts.js';

const searched = searchedTexts();

const OWN = 'file:///work/own.ts';

/** The edit that added what stands in `«»`. */
function addition(marked: string): { readonly text: string; readonly edit: EditedText } {
  const [before = '', parameter = '', behind = ''] = marked.split(/[«»]/);
  const start = before.lastIndexOf('\n') + 1;
  const end = behind.indexOf('\n');
  const [head, tail] = [before.slice(start), behind.slice(0, end < 0 ? undefined : end)];
  const line = before.split('\n').length;
  const edit = { uri: OWN, line, original: head + tail, updated: head + parameter + tail };
  return { text: before + parameter + behind, edit };
}

function made(edits: RepeatedEdits, document: SearchedText): string {
  return edits
    .in(document)
    .filter(({ reason }) => reason === 'argument')
    .toReversed()
    .reduce((text, { start, end, newText }) => text.slice(0, start) + newText + text.slice(end), document.text);
}

async function called(marked: string, languageId: string, others: readonly EditedText[] = []): Promise<string> {
  const { text, edit } = addition(marked);
  const document = await searched(OWN, languageId, text);
  return made(new RepeatedEdits([edit, ...others], () => document), document);
}

describe('a call lacks the argument', () => {
  it.each<[string, string, string, string]>([
    [
      'with as many arguments as before, and only then',
      'typescript',
      "function area(width«, height») {}\narea(1); area(f(2, ')')); area(1, 2); myarea(1); area(); area(...all);\n",
      "function area(width, height) {}\narea(1, height); area(f(2, ')'), height); area(1, 2); myarea(1); area(); area(...all);\n",
    ],
    [
      'in front, where the parameter is in front',
      'typescript',
      'function area(«height, »width) {}\narea( 1);\n',
      'function area(height, width) {}\narea( height, 1);\n',
    ],
    [
      'on a line of its own, where each argument has one',
      'typescript',
      'function area(width«, height») {}\narea(\n  1,\n);\narea(\n  1 /* m, */,\n  2,\n);\n',
      'function area(width, height) {}\narea(\n  1,\n  height,\n);\narea(\n  1 /* m, */,\n  2,\n);\n',
    ],
    [
      'on a line of its own in front, with the line ends of the text',
      'typescript',
      'function area(«height, »width) {}\r\narea(\r\n\t1\r\n);\r\n',
      'function area(height, width) {}\r\narea(\r\n\theight,\r\n\t1\r\n);\r\n',
    ],
    [
      'not in a comment',
      'typescript',
      'function area(width«, height») {}\narea(1 // one\n);\narea(1 /* one */);\narea(// one\n  1);\n',
      'function area(width, height) {}\narea(1 // one\n);\narea(1 /* one */, height);\narea(// one\n  1, height);\n',
    ],
    [
      'not behind a named one',
      'python',
      'def area(width«, height»):\n  pass\narea(width=1)\narea(1 == 2)\narea(lambda x: 1)\n',
      'def area(width, height):\n  pass\narea(width=1)\narea(1 == 2, height)\narea(lambda x: 1, height)\n',
    ],
    [
      'before a named one',
      'python',
      'def area(«height, »width):\n  pass\narea(width=1)\n',
      'def area(height, width):\n  pass\narea(height, width=1)\n',
    ],
    [
      'not in text, and not of another function',
      'typescript',
      `function area(width«, height») {}\n// area(1)\nlog("area(1)", shape.area(1), \`\${area(1)}\`);\nfunction f(area: F) {\n  area(1);\n}\n`,
      `function area(width, height) {}\n// area(1)\nlog("area(1)", shape.area(1), \`\${area(1, height)}\`);\nfunction f(area: F) {\n  area(1);\n}\n`,
    ],
    [
      'of a method, on its own object only',
      'typescript',
      'class A {\n  add(item: string«, count: number») {\n    this.set.add(item);\n  }\n  all() {\n    this.add(1);\n    words.add(1);\n    add(1);\n  }\n}\nclass B {\n  all() {\n    this.add(1);\n  }\n}\n',
      'class A {\n  add(item: string, count: number) {\n    this.set.add(item);\n  }\n  all() {\n    this.add(1, count);\n    words.add(1);\n    add(1);\n  }\n}\nclass B {\n  all() {\n    this.add(1);\n  }\n}\n',
    ],
    [
      'of a static method, on its class',
      'typescript',
      'class A {\n  static of(item: string«, count: number») {}\n}\nA.of(1);\nB.of(1);\n',
      'class A {\n  static of(item: string, count: number) {}\n}\nA.of(1, count);\nB.of(1);\n',
    ],
    [
      'of a method of Python',
      'python',
      'class A:\n    def area(self, width«, height»):\n        return self.area(1)\n\n    def other(self):\n        return area(1) + shape.area(1)\n',
      'class A:\n    def area(self, width, height):\n        return self.area(1, height)\n\n    def other(self):\n        return area(1) + shape.area(1)\n',
    ],
    [
      'in C++',
      'cpp',
      'int area(int width);\nint area(int width«, int height») { return 1; }\nint b = area(1) + shape.area(1);\n',
      'int area(int width);\nint area(int width, int height) { return 1; }\nint b = area(1, height) + shape.area(1);\n',
    ],
    [
      'in a language without a grammar',
      'kotlin',
      'fun area(width: Int«, height: Int») {\n}\nval a = area(1) // area(1)\nval b = shape.area(1)\n',
      'fun area(width: Int, height: Int) {\n}\nval a = area(1, height) // area(1)\nval b = shape.area(1)\n',
    ],
    [
      'of a method, in a language without a grammar',
      'kotlin',
      'class A {\n    area(width: Int«, height: Int») {\n        this.area(1)\n        area(1)\n    }\n}\n',
      'class A {\n    area(width: Int, height: Int) {\n        this.area(1, height)\n        area(1)\n    }\n}\n',
    ],
  ])('%s (%s)', async (_, languageId, marked, expected) => {
    expect(await called(marked, languageId)).toBe(expected);
  });

  it('on what the user has given it to by hand', async () => {
    const marked =
      'class A {\n  add(item: string«, count: number») {}\n}\nlist.add(1, 2);\nlist.add(3);\nwords.add(4);\n';
    const byHand = {
      uri: OWN,
      line: 4,
      original: 'list.add(1);\nlist.add(3);',
      updated: 'list.add(1, 2);\nlist.add(3);',
    };
    const expected =
      'class A {\n  add(item: string, count: number) {}\n}\nlist.add(1, 2);\nlist.add(3, count);\nwords.add(4);\n';
    expect(await called(marked, 'typescript', [byHand])).toBe(expected);
  });

  it('not once the parameter was taken out again', async () => {
    const { edit } = addition('function area(width«, height») {}\n');
    const document = await searched(OWN, 'typescript', 'function area(width) {}\narea(1);\n');
    expect(made(new RepeatedEdits([edit], () => document), document)).toBe(document.text);
  });

  it('in another file that imports the function, and in no other', async () => {
    const { text, edit } = addition('export function area(width: number«, height: number») {}\n');
    const own = await searched(OWN, 'typescript', text);
    const edits = new RepeatedEdits([edit], () => own);
    const importing = "import { area } from './own.js';\narea(1);\n";
    const other = async (content: string) =>
      made(edits, await searched('file:///work/other.ts', 'typescript', content));
    expect(await other(importing)).toBe(importing.replace('area(1)', 'area(1, height)'));
    expect(await other('export function area(width: number) {}\narea(1);\n')).toContain('area(1);');
    expect(await other("import { area } from './shapes.js';\narea(1);\n")).toContain('area(1);');
  });
});

import { describe, expect, it } from 'vitest';
import { placeOfName } from '../../../../extension/src/definitions/name-place.js';

const TEXT = `export class Shop {
  open(basket: Basket) {
    const first = basket.total;
    if (first) {
      return basket.total;
    } else {
      // no header
      return basket.total;
    }
  }
  close(
    basket: Crate,
  ) {
    return basket.total + total;
  }
}
const last = basket.total;
`;

/** The places of the name in the text, in order. */
function placesOf(name: string, text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.flatMap((content, line) =>
    [...content.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].map(({ index }) =>
      placeOfName((at) => lines[at] ?? null, { name, line, character: index }),
    ),
  );
}

describe('the place of a name', () => {
  it('is the same within a declaration, whatever control flow is around it', () => {
    const [inOpen, inBlock, inElse, inClose, alone, outside] = placesOf('total', TEXT);
    expect([inBlock, inElse]).toEqual([inOpen, inOpen]);
    expect(inClose).toBe('close(\nexport class Shop {\nbasket.\ntotal');
    expect(new Set([inOpen, inClose, alone, outside])).toHaveProperty('size', 4);
  });

  it('tells what the name is a member of', () => {
    const places = placesOf('size', 'size(left.size, right.size, left->size, left::size, left . size)');
    expect(places.map((place) => place.split('\n')[0])).toEqual(['', 'size(left.', 'right.', 'left->', 'left::', '']);
  });

  it('does not move with lines above its declaration', () => {
    expect(placesOf('total', `\n// more\nfunction f() {\n  return 1;\n}\n${TEXT}`)).toEqual(placesOf('total', TEXT));
  });

  it('changes with the header of its declaration', () => {
    expect(TEXT).toContain('open(basket: Basket)');
    const [before, after] = [TEXT, TEXT.replace(': Basket', ': Box')].map((text) => placesOf('total', text));
    expect(after?.map((place, index) => place === before?.[index])).toEqual([false, false, false, true, true, true]);
  });

  it('looks up only so far', () => {
    const asked: number[] = [];
    const lineAt = (line: number) => {
      asked.push(line);
      return '  name';
    };
    placeOfName(lineAt, { name: 'name', line: 10_000, character: 2 });
    expect(asked).toHaveLength(401);
  });
});

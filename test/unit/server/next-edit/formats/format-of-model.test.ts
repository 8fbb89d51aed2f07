import { describe, expect, it } from 'vitest';
import { formatOfModel } from '../../../../../server/src/next-edit/formats/format-of-model.js';
import { instinct } from '../../../../../server/src/next-edit/formats/instinct.js';
import { zeta1 } from '../../../../../server/src/next-edit/formats/zeta-1.js';
import { zeta2 } from '../../../../../server/src/next-edit/formats/zeta-2.js';
import { zeta21 } from '../../../../../server/src/next-edit/formats/zeta-2-1.js';
import { joined, QUESTION } from './questions.js';

const named = (name: string, path = '/models/model.gguf') => formatOfModel({ name, path, nextEditFormat: null });
const said = (nextEditFormat: string) => formatOfModel({ name: 'Zeta 2', path: '/m/zeta-2.gguf', nextEditFormat });

describe('the file says it', () => {
  it('before its name does', () => {
    const format = said('sweep');
    expect(format && joined(format.promptFor(QUESTION))).toContain('current/src/b.ts:12:13');
  });

  it('in a word that nobody knows: then there is none', () => {
    expect(said('of-tomorrow')).toBeNull();
  });
});

describe('its name says it', () => {
  it.each([
    ['Zeta', zeta1],
    ['zeta-Q4_K_M', zeta1],
    ['Zeta 2', zeta2],
    ['zeta-2', zeta2],
    ['zeta-2.1', zeta21],
    ['Zeta 2.1', zeta21],
    ['Instinct', instinct],
  ])('%s', (name, format) => {
    expect(named(name)).toBe(format);
    expect(named('Model', `/models/${name}.gguf`)).toBe(format);
  });

  it.each([
    ['sweep-next-edit-1.5B', 'current/src/b.ts\n'],
    ['Sweep Next Edit 0.5B', 'current/src/b.ts\n'],
    ['sweep-next-edit-v2-7B', 'current/src/b.ts:12:13\nconst one = <|cursor|>'],
  ])('%s', (name, part) => {
    const format = named(name);
    expect(format && joined(format.promptFor(QUESTION))).toContain(part);
  });

  // The version of the file is none of the model.
  it('in the file of the first Sweep models', () => {
    const format = named('Model', '/models/sweep-next-edit-1.5b.q8_0.v2.gguf');
    expect(format && joined(format.promptFor(QUESTION))).toContain('current/src/b.ts\n');
  });
});

it.each(['Qwen2.5 Coder 7B', 'Zetachat 2', 'Street Sweeper', 'Instinctive 3B', 'DeepZeta', ''])(
  '%s is not guessed',
  (name) => {
    expect(named(name)).toBeNull();
  },
);

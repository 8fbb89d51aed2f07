import { describe, expect, it } from 'vitest';
import { guessedPromptLength, PROMPT_LENGTHS, promptLengthFor } from '../../../../server/src/prompt/prompt-length.js';

describe('a prompt', () => {
  it.each([
    [1, 768],
    [1_300, 1_024],
    [2_000, 1_536],
    [5_500, 4_096],
    [11_000, 8_192],
    [50_000, 16_384],
  ])('at %i tokens a second has %i tokens at first', (speed, tokens) => {
    expect(promptLengthFor(speed, null)).toBe(tokens);
  });

  it.each([
    ['as fast as before', 1_300, 1_024, 1_024],
    ['fast enough for the next length, but only just', 1_650, 1_024, 1_024],
    ['clearly faster', 1_800, 1_024, 1_280],
    ['far faster', 50_000, 1_024, 16_384],
    ['a little slower', 1_100, 1_024, 1_024],
    ['clearly slower', 1_050, 1_024, 768],
    ['far slower', 10, 8_192, 768],
  ])('%s', (_, speed, present, tokens) => {
    expect(promptLengthFor(speed, present)).toBe(tokens);
  });

  it('does not flutter: a speed that varies by a tenth changes it at most once', () => {
    for (let speed = 500; speed < 24_000; speed += 37) {
      let present = promptLengthFor(speed, null);
      let changes = 0;
      for (let turn = 0; turn < 40; turn += 1) {
        const next = promptLengthFor(speed * (turn % 2 === 0 ? 0.95 : 1.05), present);
        if (next !== present) changes += 1;
        present = next;
      }
      expect(changes).toBeLessThanOrEqual(1);
    }
  });

  it('takes the longest time where the next length is just out of reach', () => {
    const slowest = PROMPT_LENGTHS.map((tokens) => tokens / 0.8);
    for (const speed of slowest) expect(promptLengthFor(speed, null) / speed).toBeLessThanOrEqual(0.801);
  });
});

it('the speed of a model that was never measured follows from its size and the device', () => {
  const guess = (modelBytes: number, device: 'cpu' | 'shared' | 'gpu', threads = 8) =>
    guessedPromptLength({ modelBytes, device, threads });
  expect(guess(40e6, 'cpu', 2)).toBe(768);
  expect(guess(40e6, 'cpu')).toBe(3_072);
  expect(guess(1e9, 'cpu')).toBe(768);
  expect(guess(1e9, 'shared')).toBe(768);
  expect(guess(1e9, 'gpu')).toBe(6_144);
  expect(guess(0, 'gpu')).toBe(8_192);
});

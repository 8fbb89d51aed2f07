import { expect, it } from 'vitest';
import { quantizationName } from '../../../../../server/src/engine/port/quantization-name.js';
import { fileTypeName } from '../../../../../server/src/models/gguf/gguf-types.js';

/** `llama_ftype_name` of llama.cpp's src/llama-model-loader.cpp, by the value of `general.file_type`. */
const NAMES: readonly (readonly [number, string])[] = [
  [0, 'all F32'],
  [1, 'F16'],
  [2, 'Q4_0'],
  [3, 'Q4_1'],
  [7, 'Q8_0'],
  [8, 'Q5_0'],
  [9, 'Q5_1'],
  [10, 'Q2_K - Medium'],
  [11, 'Q3_K - Small'],
  [12, 'Q3_K - Medium'],
  [13, 'Q3_K - Large'],
  [14, 'Q4_K - Small'],
  [15, 'Q4_K - Medium'],
  [16, 'Q5_K - Small'],
  [17, 'Q5_K - Medium'],
  [18, 'Q6_K'],
  [19, 'IQ2_XXS - 2.0625 bpw'],
  [20, 'IQ2_XS - 2.3125 bpw'],
  [21, 'Q2_K - Small'],
  [22, 'IQ3_XS - 3.3 bpw'],
  [23, 'IQ3_XXS - 3.0625 bpw'],
  [24, 'IQ1_S - 1.5625 bpw'],
  [25, 'IQ4_NL - 4.5 bpw'],
  [26, 'IQ3_S - 3.4375 bpw'],
  [27, 'IQ3_S mix - 3.66 bpw'],
  [28, 'IQ2_S - 2.5 bpw'],
  [29, 'IQ2_M - 2.7 bpw'],
  [30, 'IQ4_XS - 4.25 bpw'],
  [31, 'IQ1_M - 1.75 bpw'],
  [32, 'BF16'],
  [36, 'TQ1_0 - 1.69 bpw ternary'],
  [37, 'TQ2_0 - 2.06 bpw ternary'],
  [38, 'MXFP4 MoE'],
  [39, 'NVFP4'],
  [40, 'Q1_0'],
  [41, 'Q2_0'],
];

it.each(NAMES)('file type %i, %s, is called as in the header and in the names of files', (type, name) => {
  const expected = fileTypeName(type);
  expect(expected).not.toBeNull();
  expect([quantizationName(name), quantizationName(`(guessed) ${name}`)]).toEqual([expected, expected]);
});

it.each(['Q4_K_M', 'UD-Q4_K_XL', 'Q4_K - Huge', 'constructor', ''])('leaves %j as it is', (name) => {
  expect(quantizationName(name)).toBe(name);
});

it('has one word for a type that nobody knows', () => {
  expect(quantizationName('unknown, may not work')).toBe('unknown');
});

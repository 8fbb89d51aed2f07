/** Tensor types by GGUF's id: elements and bytes of one block. */
export const TENSOR_TYPES: Readonly<
  Record<number, { readonly name: string; readonly elements: number; readonly bytes: number }>
> = {
  0: { name: 'F32', elements: 1, bytes: 4 },
  1: { name: 'F16', elements: 1, bytes: 2 },
  2: { name: 'Q4_0', elements: 32, bytes: 18 },
  3: { name: 'Q4_1', elements: 32, bytes: 20 },
  6: { name: 'Q5_0', elements: 32, bytes: 22 },
  7: { name: 'Q5_1', elements: 32, bytes: 24 },
  8: { name: 'Q8_0', elements: 32, bytes: 34 },
  9: { name: 'Q8_1', elements: 32, bytes: 36 },
  10: { name: 'Q2_K', elements: 256, bytes: 84 },
  11: { name: 'Q3_K', elements: 256, bytes: 110 },
  12: { name: 'Q4_K', elements: 256, bytes: 144 },
  13: { name: 'Q5_K', elements: 256, bytes: 176 },
  14: { name: 'Q6_K', elements: 256, bytes: 210 },
  15: { name: 'Q8_K', elements: 256, bytes: 292 },
  16: { name: 'IQ2_XXS', elements: 256, bytes: 66 },
  17: { name: 'IQ2_XS', elements: 256, bytes: 74 },
  18: { name: 'IQ3_XXS', elements: 256, bytes: 98 },
  19: { name: 'IQ1_S', elements: 256, bytes: 50 },
  20: { name: 'IQ4_NL', elements: 32, bytes: 18 },
  21: { name: 'IQ3_S', elements: 256, bytes: 110 },
  22: { name: 'IQ2_S', elements: 256, bytes: 82 },
  23: { name: 'IQ4_XS', elements: 256, bytes: 136 },
  24: { name: 'I8', elements: 1, bytes: 1 },
  25: { name: 'I16', elements: 1, bytes: 2 },
  26: { name: 'I32', elements: 1, bytes: 4 },
  27: { name: 'I64', elements: 1, bytes: 8 },
  28: { name: 'F64', elements: 1, bytes: 8 },
  29: { name: 'IQ1_M', elements: 256, bytes: 56 },
  30: { name: 'BF16', elements: 1, bytes: 2 },
  34: { name: 'TQ1_0', elements: 256, bytes: 54 },
  35: { name: 'TQ2_0', elements: 256, bytes: 66 },
  39: { name: 'MXFP4', elements: 32, bytes: 17 },
  40: { name: 'NVFP4', elements: 64, bytes: 36 },
  41: { name: 'Q1_0', elements: 128, bytes: 18 },
  42: { name: 'Q2_0', elements: 64, bytes: 18 },
};

/** Names of `general.file_type`, as in file names. */
const FILE_TYPES: Readonly<Record<number, string>> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  19: 'IQ2_XXS',
  20: 'IQ2_XS',
  21: 'Q2_K_S',
  22: 'IQ3_XS',
  23: 'IQ3_XXS',
  24: 'IQ1_S',
  25: 'IQ4_NL',
  26: 'IQ3_S',
  27: 'IQ3_M',
  28: 'IQ2_S',
  29: 'IQ2_M',
  30: 'IQ4_XS',
  31: 'IQ1_M',
  32: 'BF16',
  36: 'TQ1_0',
  37: 'TQ2_0',
  38: 'MXFP4_MOE',
  39: 'NVFP4',
  40: 'Q1_0',
  41: 'Q2_0',
};

/** Null for a missing or unknown type. */
export function fileTypeName(fileType: number | null): string | null {
  return fileType === null ? null : (FILE_TYPES[fileType] ?? null);
}

/** Bytes of numbers and booleans in metadata, by GGUF's value type; 8 is a string, 9 an array. */
export const VALUE_BYTES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
export const STRING_VALUE = 8;
export const ARRAY_VALUE = 9;

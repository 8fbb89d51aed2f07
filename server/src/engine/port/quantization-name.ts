/** File types that llama.cpp calls by other words than the names of files do. */
const OTHER_NAMES = new Map([
  ['all F32', 'F32'],
  ['MXFP4 MoE', 'MXFP4_MOE'],
  ['Q2_K - Medium', 'Q2_K'],
  ['IQ3_S mix', 'IQ3_M'],
  ['unknown, may not work', 'unknown'],
]);

/**
 * A quantization as the names of files spell it, such as `Q4_K_M`.
 *
 * @param name such a name, or what llama.cpp says of a loaded model: `Q4_K - Medium`, `(guessed) IQ4_XS - 4.25 bpw`
 */
export function quantizationName(name: string): string {
  const type = name.replace(/^\(guessed\) /, '').replace(/ - [\d.]+ bpw.*$/, '');
  return OTHER_NAMES.get(type) ?? type.replace(/ - ([SML])(?:mall|edium|arge)$/, '_$1');
}

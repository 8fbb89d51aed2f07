export const WASM_FILES: readonly string[];
export function copyGrammars(target: string): void;

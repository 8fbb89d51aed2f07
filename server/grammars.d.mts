export const WASM_FILES: readonly string[];
export const LICENCES_FILE: string;
export function copyGrammars(target: string): void;

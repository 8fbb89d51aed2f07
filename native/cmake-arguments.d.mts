export function presentGenerator(folder: string): string | null;
export function generatorArguments(folder: string): readonly string[];
export function llamaDefinition(environment: { readonly INKLING_LLAMA_DIR?: string }): string;

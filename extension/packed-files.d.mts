export function checkPackedFiles(files: readonly string[]): void;

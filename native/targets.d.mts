export const TARGETS: readonly string[];
export const HOST: string;
export function crossDefinitions(target: string, platform?: NodeJS.Platform): readonly string[];
export function targetFolders(target: string): { readonly build: string; readonly modules: string };
export function nativeModules(target: string): readonly string[];

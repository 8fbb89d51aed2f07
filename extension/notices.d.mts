import type { BuildOptions } from 'esbuild';

export const product: readonly (BuildOptions & { readonly entryPoints: readonly string[] })[];
export const NOTICES_FILE: string;
export function packageOf(input: string): string | null;
export function notices(
  packages: readonly string[],
  llamaDirectory: string,
  target: string,
  modules: readonly string[],
): string;
export function shippedPackages(): Promise<readonly string[]>;
export function packageNotices(target: string, modules: readonly string[]): Promise<string>;

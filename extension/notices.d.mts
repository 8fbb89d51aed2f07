import type { BuildOptions } from 'esbuild';

export const product: readonly BuildOptions[];
export const NOTICES_FILE: string;
export function bundledPackages(): Promise<readonly string[]>;
export function packageOf(input: string): string | null;
export function notices(packages: readonly string[], llamaDirectory: string): string;
export function shippedPackages(): Promise<readonly string[]>;
export function writeNotices(): Promise<void>;

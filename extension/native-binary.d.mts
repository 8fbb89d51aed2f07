export const NEWEST_GLIBC: string;
export function targetOf(bytes: Buffer): string | null;
export function neededGlibc(bytes: Buffer): string | null;
export function byVersion(left: string, right: string): number;
export function refusal(bytes: Buffer, target: string, newestGlibc?: string): string | null;

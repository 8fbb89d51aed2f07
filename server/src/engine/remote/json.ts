/** Another program may send anything. These functions read it without trusting it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Empty for what is no object. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Empty for what is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown, fallback = ''): string {
  return typeof value === 'string' ? value : fallback;
}

export function numberOf(value: unknown, fallback = 0): number {
  return numberOrNull(value) ?? fallback;
}

/** Null for what is no text, or an empty one. */
export function textOrNull(value: unknown): string | null {
  return textOf(value) || null;
}

/** Null for what is no number. */
export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Null unless all of it is whole numbers. */
export function tokensOf(value: unknown): readonly number[] | null {
  return Array.isArray(value) && value.every((each) => Number.isInteger(each)) ? value : null;
}

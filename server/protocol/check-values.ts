/** Checks of values that another process sent: it may send anything. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

/** Whether it is a number from `least` to `most`, both included. */
export function isNumber(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}

/** Whether it is a whole number, zero or more, such as a line of a document. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && isNumber(value, 0, Number.MAX_SAFE_INTEGER);
}

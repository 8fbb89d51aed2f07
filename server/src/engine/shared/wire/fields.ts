import { isNumber, isRecord, isText } from '../../../../protocol/index.js';
import { isTokenId } from '../../../util/json.js';

export type Check = (value: unknown) => boolean;

/** What each field of `T` may be. */
export type Fields<T> = { readonly [K in keyof Required<T>]: Check };

/** Lists are as long as their frame at most. */
export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

export function orNull(check: Check): Check {
  return (value) => value === null || check(value);
}

export function oneOf(values: readonly string[]): Check {
  return (value) => isText(value) && values.includes(value);
}

/** Zero or more, such as milliseconds or bytes. */
export const isAmount: Check = (value) => isNumber(value, 0, Number.MAX_VALUE);

/** JSON has no infinite numbers: it writes null for the logarithm of 0. */
export const isLogarithm: Check = (value) => value === null || isNumber(value, -Number.MAX_VALUE, Number.MAX_VALUE);

export const areTokens = listOf(isTokenId);

/** The name of the first field that is missing or not as it should be, or that nobody knows; null where all are. */
export function wrongField(value: unknown, fields: Readonly<Record<string, Check>>, required: readonly string[]) {
  if (!isRecord(value)) return '';
  const missing = required.find((name) => value[name] === undefined);
  if (missing !== undefined) return missing;
  for (const name of Object.keys(value)) {
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (check === undefined || !check(value[name])) return name;
  }
  return null;
}

/** Whether the value is a record with exactly these fields. */
export function isWhole<T>(value: unknown, fields: Fields<T>): value is T {
  return wrongField(value, fields, Object.keys(fields)) === null;
}

/** Checks a field that is itself a record with these fields. */
export function record<T>(fields: Fields<T>): Check {
  return (value) => isWhole(value, fields);
}

import { createHash } from 'node:crypto';

/** Tells texts apart without keeping them. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

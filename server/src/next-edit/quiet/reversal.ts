import type { Replaced } from './changed-words.js';

/** Whether a change takes back what an edit did: it puts back what was removed, or removes what was inserted. */
export function takesBack(change: readonly Replaced[], edits: readonly Replaced[]): boolean {
  return change.some(({ from, to }) => edits.some((edit) => reverses(from, to, edit)));
}

function reverses(from: string, to: string, edit: Replaced): boolean {
  if (edit.to.trim() === '' && edit.from.trim() === '') return false;
  return from.trim() === edit.to.trim() && to.trim() === edit.from.trim();
}

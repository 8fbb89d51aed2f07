/** The common start of suggestion and intention, up to the end of a word; '' if they differ at once. */
export function agreement(ghost: string, intention: string): string {
  let length = 0;
  while (length < ghost.length && ghost[length] === intention[length]) length++;
  if (length === ghost.length) return ghost;
  return ghost.slice(0, length).replace(/\w*$/, '');
}

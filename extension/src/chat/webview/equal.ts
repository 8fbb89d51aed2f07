/** Whether two values of a message say the same. */
export function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  const others = new Map(Object.entries(right));
  const entries = Object.entries(left);
  return (
    entries.length === others.size &&
    entries.every(([name, value]) => others.has(name) && isEqual(value, others.get(name)))
  );
}

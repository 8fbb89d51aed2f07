export function toLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** Whether two texts differ in nothing but line ends. */
export function haveSameLines(one: string, other: string): boolean {
  return one === other || toLineFeeds(one) === toLineFeeds(other);
}
